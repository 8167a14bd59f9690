"""The lessons of the page without a server, and the files of the answers to predictions."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest

from demo.i18n import in_language
from demo.learn.lab_answers import on_lab
from demo.learn.lessons import lesson_called, lessons, questions
from demo.learn.lessons.lesson import Lesson
from demo.learn.lessons.states import chosen_in
from demo.static.answers import LABS
from demo.static.site.lessons import Course, is_open, lab_of, needs_app
from demo.work.context import AppContext
from models.registry.registry import Registry
from tests.grids import full_only

pytestmark = pytest.mark.slow
CHECKPOINTS = Path("checkpoints")
INCLUDED, ABSENT = "tour", "explain"  # a lesson that needs only Decode, and one that needs attributions


@pytest.fixture(scope="module", params=["three checkpoints", *full_only(["all checkpoints"])])
def files(request: pytest.FixtureRequest, site_folder: Path) -> dict[str, Any]:
    """The files in Spanish, by their paths."""
    if request.param == "all checkpoints":
        with in_language("es"):
            return as_sent(dict(Course(AppContext(Registry(CHECKPOINTS))).files()))
    folder = site_folder / "lessons" / "es"
    paths = folder.rglob("*.json")
    return {path.relative_to(folder).as_posix(): json.loads(path.read_text("utf-8")) for path in paths}


def as_sent(content: Any) -> Any:
    """The content of a file as a browser gets it."""
    return json.loads(json.dumps(content))


def included(files: dict[str, Any]) -> list[Lesson]:
    """The lessons that the folder can show."""
    named = [lesson_called(line["id"]) for line in files["course.json"]["lines"]]
    return [lesson for lesson in named if lesson is not None]


def test_every_lesson_is_shown_or_listed_as_absent(files: dict[str, Any]) -> None:
    course = files["course.json"]
    ids = [line["id"] for line in (*course["lines"], *course["absent"])]
    assert sorted(ids) == sorted(lesson.id for lesson in lessons())
    assert INCLUDED in {line["id"] for line in course["lines"]}
    assert ABSENT in {line["id"] for line in course["absent"]}


def test_no_lesson_has_a_step_that_needs_a_server(files: dict[str, Any]) -> None:
    for lesson in included(files):
        for step in lesson.steps:
            assert not any(part in step.state for part in ("inspect=", "open=why"))
            assert "tab=learn" not in step.state or lab_of(step) in LABS


def test_the_answer_of_a_steps_lab_is_stored(files: dict[str, Any]) -> None:
    lesson = lesson_called("ngrams")
    assert lesson in included(files)
    assert lesson is not None
    for number, step in enumerate(lesson.steps, 1):
        name, options = chosen_in(dict(parse_qsl(step.state))["lab"])
        with in_language("es"):
            expected = as_sent(on_lab({"lab": name, "options": options}))
        assert files[f"ngrams/lab-{number}.json"] == expected


def test_each_answer_to_a_prediction_has_its_own_file(files: dict[str, Any]) -> None:
    for lesson in included(files):
        texts = json.dumps(files[f"{lesson.id}/lesson.json"], ensure_ascii=False)
        for number, step in enumerate(lesson.steps, 1):
            if step.prediction is None:
                continue
            answer = files[f"{lesson.id}/answer-{number}.json"]
            assert answer["reveal"]["text"]
            assert answer["reveal"]["text"] not in texts
            assert [line["answer"] for line in answer["lines"]] == [answer["reveal"]["answer"]]
        assert '"answer"' not in texts


def test_a_stored_trace_is_the_state_of_its_step(files: dict[str, Any]) -> None:
    steps = files[f"{INCLUDED}/lesson.json"]["lesson"]["steps"]
    numbers = files[f"{INCLUDED}/lesson.json"]["traces"]
    assert numbers
    for number in numbers:
        trace = files[f"{INCLUDED}/trace-{number}.json"]["trace"]
        named = dict(parse_qsl(steps[number - 1]["state"]))
        assert (trace["checkpoint"], trace["source_text"]) == (named["checkpoint"], named["text"])
        assert trace["strategy"] == named.get("strategy", "beam")


def test_the_answer_is_that_of_the_network(files: dict[str, Any]) -> None:
    reveal = files[f"{INCLUDED}/answer-1.json"]["reveal"]
    assert (
        files[f"{INCLUDED}/lesson.json"]["lesson"]["steps"][0]["prediction"]["options"][reveal["answer"]]
        == "is"
    )
    assert "%" in reveal["text"]


def test_a_lesson_recalls_only_lessons_of_the_folder(files: dict[str, Any]) -> None:
    ids = {lesson.id for lesson in included(files)}
    recalled = [files[f"{name}/lesson.json"]["lesson"]["kit"]["recall"] for name in ids]
    assert {recall["lesson"] for recall in recalled if recall} <= ids


def test_questions_keep_their_numbers(files: dict[str, Any]) -> None:
    steps = files["questions/lesson.json"]["lesson"]["steps"]
    course_questions = files["course.json"]["questions"]
    assert len(steps) == len(course_questions) == len(questions().steps)
    with in_language("es"):
        sentence = needs_app()
    for step, text in zip(steps, course_questions, strict=True):
        assert bool(text) != step["text"].endswith(sentence)


def test_a_lesson_without_its_checkpoints_is_listed_as_absent(tmp_path: Path) -> None:
    shutil.copytree(CHECKPOINTS / "reverse-rnn", tmp_path / "reverse-rnn")
    files = dict(Course(AppContext(Registry(tmp_path))).files())
    assert INCLUDED not in {line["id"] for line in files["course.json"]["lines"]}
    assert INCLUDED in {line["id"] for line in files["course.json"]["absent"]}
    assert not any(files["course.json"]["questions"])


def test_a_step_whose_card_needs_a_server_is_left_out() -> None:
    lesson = lesson_called(ABSENT)
    assert lesson is not None
    assert not any(
        is_open(step, ["spa-eng-gru", "reverse-gru"]) for step in lesson.steps if "why" in step.state
    )
