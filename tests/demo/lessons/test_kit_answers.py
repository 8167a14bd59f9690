"""Answers of the kit to the dock: quizzes, the test around the course, printed sheets."""

from __future__ import annotations

import pytest

from demo.i18n import complete_languages, in_language
from demo.lessons import lessons
from demo.lessons.answers import on_lesson
from demo.lessons.kit_answers import on_paired, on_quiz, on_sheet, sources_of
from demo.lessons.lesson import Lesson
from demo.lessons.outcomes import States
from tests.grids import named

BY_NAME = {lesson.id: lesson for lesson in lessons()}


def test_a_lesson_is_sent_with_its_kit_and_the_questions_without() -> None:
    kit = on_lesson({"lesson": "search"})["kit"]
    assert kit["goal"].endswith(".")
    assert kit["before"] == [BY_NAME[name].title["en"] for name in ("perplexity", "greedy")]
    assert kit["recall"]["lesson"] in BY_NAME
    assert on_lesson({"lesson": "tour"})["kit"]["recall"] is None
    assert on_lesson({"lesson": "questions"})["kit"] is None


@pytest.mark.parametrize("which", ["before", "after", "another", None])
def test_the_two_tests_have_the_same_topics_and_other_questions(which: str | None) -> None:
    first, second = (on_paired({"which": name})["items"] for name in ("before", which))
    assert [item["topic"] for item in first] == [item["topic"] for item in second]
    same = [one["text"] == other["text"] for one, other in zip(first, second, strict=True)]
    assert not any(same) if which == "after" else all(same)
    assert all(0 <= item["answer"] < len(item["options"]) for item in second)


def test_the_tests_before_and_after_the_course_are_in_every_language() -> None:
    texts = []
    for code in complete_languages():
        with in_language(code):
            texts.append([item["text"] for item in on_paired({"which": "after"})["items"]])
    assert all(len({*versions}) == len(texts) for versions in zip(*texts, strict=True))


@pytest.mark.slow
def test_a_quiz_is_sent_with_numbers_and_answers(states: States) -> None:
    items = on_quiz(states, {"lesson": "bleu"})["items"]
    assert [item["options"][item["answer"]] for item in items] == ["2", "the brevity penalty"]
    assert "{" not in items[1]["explanation"]
    assert on_quiz(states, {"lesson": "questions"}) == {"items": []}


@pytest.mark.slow
@pytest.mark.parametrize("lesson", named(BY_NAME, ["greedy", "kernels"]))
def test_a_sheet_has_the_numbers_and_only_the_teachers_the_answers(lesson: Lesson, states: States) -> None:
    for with_answers in (False, True):
        steps = on_sheet(states, {"lesson": lesson.id, "answers": with_answers})["steps"]
        assert len(steps) == len(lesson.steps)
        for printed, step in zip(steps, lesson.steps, strict=True):
            assert "{" not in printed["text"]
            assert ("prediction" in printed) == (step.prediction is not None)
            has_answer = with_answers and step.prediction is not None
            assert ("answer" in printed, "outcome" in printed) == (has_answer, has_answer)
            if step.prediction is not None and step.prediction.kind == "draw":
                assert printed["prediction"]["columns"]


@pytest.mark.slow
def test_a_sheet_shows_no_output_that_answers_the_question(states: States) -> None:
    steps = on_sheet(states, {"lesson": "greedy"})["steps"]
    captions = [[item["caption"] for item in step["given"]] for step in steps]
    assert captions[0] == ["Source", "Output"]  # is it the most probable sentence?
    assert captions[2] == ["Source"]  # the question: which token did greedy write second?


def test_a_sheet_shows_the_texts_of_its_link() -> None:
    assert sources_of("tab=decode&text=hola") == [{"caption": "Source", "text": "hola"}]
    assert sources_of("tab=decode&text=data%3Aimage%2Fpng%3Bbase64%2CAAAA") == [
        {"caption": "Source", "picture": "data:image/png;base64,AAAA"}
    ]
    assert sources_of("tab=learn&lab=bleu,output:a%2520b,reference:c") == [
        {"caption": "Output", "text": "a b"},
        {"caption": "Reference", "text": "c"},
    ]
    assert sources_of("tab=learn&lab=kernels,bandwidth:1") == []
