"""Addresses that name a lesson, and invalid requests about lessons."""

from __future__ import annotations

import pytest

from demo.learn.classroom import Classrooms
from demo.learn.lessons import TESTS, lessons, opened_lesson
from demo.learn.lessons.answers import fields_of, on_lesson
from demo.work.requests.checks import RequestError
from tests.refusals import refused

FIRST = lessons()[0]


def test_an_address_without_a_lesson_keeps_its_parameters() -> None:
    items = [("text", "hola"), ("step", "3")]
    assert opened_lesson(Classrooms(), items) == (None, items, [])


def test_a_step_is_replaced_by_the_parameters_of_its_state() -> None:
    answer, items, faults = opened_lesson(
        Classrooms(), [("lesson", FIRST.id), ("step", "1"), ("hide", "tree")]
    )
    assert answer == {"lesson": FIRST.id, "step": 1}
    assert faults == []
    assert dict(items)["hide"] == "tree"
    assert "lesson" not in dict(items)
    assert dict(items)["tab"]


@pytest.mark.parametrize(
    ("number", "step"), [("0", 1), ("999", len(FIRST.steps)), ("-1", 1), ("x", 1), ("", 1)]
)
def test_a_step_number_out_of_range_opens_the_nearest_step(number: str, step: int) -> None:
    answer, _, _ = opened_lesson(Classrooms(), [("lesson", FIRST.id), ("step", number)])
    assert answer is not None
    assert answer["step"] == step


def test_the_code_of_a_class_opens_its_lesson_at_the_step_of_its_teacher() -> None:
    classes = Classrooms()
    joined = classes.open(FIRST.id)
    classes.lead(joined.id, joined.key, 2, reveal=False)
    answer, items, faults = opened_lesson(classes, [("class", f"{joined.id.lower()} "), ("__theme", "dark")])
    assert answer == {"lesson": FIRST.id, "step": 2, "class": joined.id}
    assert (dict(items)["__theme"], faults) == ("dark", [])
    answer, items, faults = opened_lesson(classes, [("class", "NOBODY")])
    assert (answer, dict(items), len(faults)) == (None, {"tab": "learn"}, 1)


def test_a_changed_state_of_a_step_replaces_the_state_that_the_step_opens() -> None:
    classes = Classrooms()
    joined = classes.open(FIRST.id)
    state = [("tab", "decode"), ("text", "hola"), ("step", "5"), ("hide", "tree")]
    answer, items, faults = opened_lesson(
        classes, [("lesson", f"{FIRST.id}:2"), ("class", joined.id), *state, ("__theme", "dark")]
    )
    assert answer == {"lesson": FIRST.id, "step": 2, "class": joined.id}
    assert (items, faults) == ([*state, ("__theme", "dark")], [])
    answer, items, faults = opened_lesson(classes, [("lesson", "nobody:2"), ("text", "hola")])
    assert (answer, dict(items), len(faults)) == (None, {"tab": "learn"}, 1)


@pytest.mark.parametrize("name", TESTS)
def test_a_test_around_the_course_has_an_address(name: str) -> None:
    answer, items, faults = opened_lesson(Classrooms(), [("lesson", name), ("step", "4"), ("hide", "tree")])
    assert (answer, faults) == ({"lesson": name, "step": 1}, [])
    assert dict(items) == {"tab": "learn", "hide": "tree"}


def test_an_unknown_lesson_is_reported_and_the_course_opens() -> None:
    answer, items, faults = opened_lesson(Classrooms(), [("lesson", FIRST.id + "x")])
    assert answer is None
    assert dict(items) == {"tab": "learn"}
    assert f"did you mean {FIRST.id}?" in faults[0]
    _, _, faults = opened_lesson(Classrooms(), [("lesson", "<script>")])
    assert "The Learn tab lists them all" in faults[0]


@pytest.mark.parametrize("data", [None, 3, {"lesson": "soul"}, {"lesson": ["a"]}])
def test_invalid_requests_are_refused_with_a_sentence(data: object) -> None:
    with refused(RequestError, "no_such_lesson"):
        on_lesson(fields_of(data))
