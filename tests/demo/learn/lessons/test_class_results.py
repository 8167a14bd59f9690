"""The results of a class as CSV, against a real lesson and predictions that were counted by hand."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from demo.learn.classroom import Classrooms
from demo.learn.lessons import lesson_called
from demo.learn.lessons.class_answers import COLUMNS, harmless, on_open, on_predict, on_results
from demo.learn.lessons.lesson import Lesson
from demo.learn.lessons.states import States
from demo.work.requests.checks import RequestError
from tests.refusals import refused


def _lesson(name: str) -> Lesson:
    lesson = lesson_called(name)
    assert lesson is not None
    return lesson


def _step(lesson: Lesson, kind: str) -> int:
    return next(
        number
        for number, step in enumerate(lesson.steps, 1)
        if step.prediction is not None and step.prediction.kind == kind
    )


def results_of(states: States, lesson: Lesson, guesses: dict[int, list[Any]]) -> list[dict[str, str]]:
    classes = Classrooms()
    classroom = on_open(classes, {"lesson": lesson.id})
    for step, answers in guesses.items():
        for pupil, guess in enumerate(answers):
            on_predict(classes, {**classroom, "step": step, "pupil": f"p{pupil}", "guess": guess})
    text = on_results(classes, states, classroom)["csv"]
    rows = list(csv.DictReader(io.StringIO(text)))
    assert text.splitlines()[0] == ",".join(COLUMNS)
    return rows


def test_a_row_counts_an_answer_and_marks_it_as_right_or_wrong(states: States) -> None:
    lesson = _lesson("ngrams")
    choice, number, typed = (_step(lesson, kind) for kind in ("choose", "number", "type"))
    rows = results_of(
        states, lesson, {choice: [2, 2, 0], number: [6.2, 6.4, 11], typed: ["Mat", "rug", "mat", "=1+1"]}
    )
    of_step = {step: [row for row in rows if row["step"] == str(step)] for step in (choice, number, typed)}
    assert [row["lesson"] for row in rows] == ["ngrams"] * len(rows)
    assert [(row["count"], row["right"]) for row in of_step[choice]] == [
        ("1", "no"),
        ("0", "no"),
        ("2", "yes"),
    ]
    assert of_step[choice][2]["answer"].startswith("Infinite")
    assert of_step[choice][0]["question"] == lesson.steps[choice - 1].text["en"]
    assert "{" not in of_step[number][0]["question"]
    counts = {row["answer"]: row["count"] for row in of_step[number] if row["count"] != "0"}
    assert counts == {"6 – 6.9": "2", "11 – 11.9": "1"}
    assert [row["answer"] for row in of_step[number] if row["right"] == "yes"] == ["6 – 6.9"]
    assert [(row["answer"], row["count"], row["right"]) for row in of_step[typed]] == [
        ("Mat", "2", "yes"),
        ("rug", "1", "no"),
        ("'=1+1", "1", "no"),  # a spreadsheet would compute it
    ]


@pytest.mark.slow
def test_results_count_orders_and_drawings(states: States) -> None:
    lesson = _lesson("tokens")
    order = _step(lesson, "order")
    rows = results_of(states, lesson, {order: [[1, 0, 2], [1, 2, 0]]})
    assert [row["count"] for row in rows][:2] == ["0", "2"]
    assert [row["right"] for row in rows].count("yes") == 1
    lesson = _lesson("kernels")
    curve = _step(lesson, "draw")
    rows = results_of(states, lesson, {curve: [[10.0] * 9, [20.0] * 9]})
    assert len(rows) > 1
    assert {row["count"] for row in rows} == {"2"}
    assert {row["right"] for row in rows} == {""}
    assert rows[3]["answer"].startswith("4: 15.0 (")
    lesson = _lesson("errors")
    rows = results_of(
        states, lesson, {_step(lesson, "draw"): [[2, 1, 1, 3, 5], [2, 1, 0, 3, 4], [2, 1, 1, 3, 5]]}
    )
    assert [row["count"] for row in rows] == ["3", "3", "2", "3", "2"]
    assert [row["right"] for row in rows] == ["yes", "yes", "no", "yes", "yes"]
    assert rows[0]["answer"].endswith("→ Negation lost")


def test_only_the_teacher_has_the_results(states: States) -> None:
    classes = Classrooms()
    classroom = on_open(classes, {"lesson": "ngrams"})
    with refused(RequestError, "class_of_another_teacher"):
        on_results(classes, states, {"class": classroom["class"], "key": "x"})
    with refused(RequestError, "class_question_incomplete"):
        on_results(classes, states, {"class": classroom["class"]})


@pytest.mark.parametrize("text", ["=1", "+1", "-1", "@a", "\t1"])
def test_a_typed_formula_is_a_text(text: str) -> None:
    assert harmless(text) == f"'{text}"
    assert harmless("mat") == "mat"
