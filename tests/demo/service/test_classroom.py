"""Classes that predict together: who is counted, who may reveal, and what is forgotten."""

from __future__ import annotations

from typing import Any

import pytest

from demo.lessons import lessons
from demo.lessons.class_answers import on_lead, on_open, on_predict, on_preview
from demo.lessons.histogram import checked_guess, counted, drawn
from demo.lessons.lesson import LessonOption, Prediction
from demo.requests.checks import RequestError
from demo.service.classroom import HERE_SECONDS, MAX_CLASSES, MAX_PUPILS, SECONDS, Classrooms
from tests.refusals import refused

LESSON = next(lesson for lesson in lessons() if lesson.id == "greedy")
CHOOSE = 1 + next(
    index for index, step in enumerate(LESSON.steps) if step.prediction and step.prediction.kind == "choose"
)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def classes(clock: Clock) -> Classrooms:
    return Classrooms(clock)


def request_to(opened: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"class": opened["class"], "step": CHOOSE, **more}


def test_a_class_predicts_and_its_teacher_reveals(classes: Classrooms) -> None:
    opened = on_open(classes, {"lesson": LESSON.id})
    for pupil, guess in (("a", 0), ("b", 1), ("c", 1), ("b", 0)):  # b thinks again
        assert on_predict(classes, request_to(opened, pupil=pupil, guess=guess)) == {}
    view = on_preview(classes, request_to(opened, pupil="d"))
    assert (view["predicted"], view["pupils"], view["revealed"]) == (3, 4, False)
    assert "counts" not in view  # nobody sees what the others think before it is revealed
    assert set(view) == {"lesson", "step", "pupils", "predicted", "revealed"}
    led = on_lead(classes, request_to(opened, key=opened["key"]))
    assert led["counts"] == [2, 1]
    on_lead(classes, request_to(opened, key=opened["key"], reveal=True))
    view = on_preview(classes, request_to(opened, pupil="d"))
    assert (view["revealed"], view["counts"], view["step"]) == (True, [2, 1], CHOOSE)
    with refused(RequestError, "prediction_too_late"):
        on_predict(classes, request_to(opened, pupil="d", guess=0))


def test_only_the_key_leads(classes: Classrooms) -> None:
    opened = on_open(classes, {"lesson": LESSON.id})
    for key in ("x", opened["class"]):
        with refused(RequestError, "class_of_another_teacher"):
            on_lead(classes, request_to(opened, key=key, reveal=True))
    assert not on_preview(classes, request_to(opened, pupil="a", key="x"))["revealed"]
    assert "counts" not in on_preview(classes, request_to(opened, pupil="a", key="x"))


def test_who_has_left_makes_room(classes: Classrooms, clock: Clock) -> None:
    opened = on_open(classes, {"lesson": LESSON.id})
    for number in range(MAX_PUPILS):
        on_predict(classes, request_to(opened, pupil=f"p{number}", guess=0))
    with refused(RequestError, "class_full", MAX_PUPILS):
        on_preview(classes, request_to(opened, pupil="late"))
    clock.now = HERE_SECONDS + 1
    view = on_preview(classes, request_to(opened, pupil="late"))
    assert (view["pupils"], view["predicted"]) == (1, MAX_PUPILS - 1)


def test_classes_are_capped_and_forgotten(classes: Classrooms, clock: Clock) -> None:
    first = on_open(classes, {"lesson": LESSON.id})
    for _ in range(MAX_CLASSES - 1):
        on_open(classes, {"lesson": LESSON.id})
    with refused(RequestError, "too_many_classes"):
        on_open(classes, {"lesson": LESSON.id})
    clock.now = SECONDS + 1
    with refused(RequestError, "class_over"):
        on_preview(classes, request_to(first))
    assert len(classes) == 0


def test_classes_that_everybody_has_left_make_room(classes: Classrooms, clock: Clock) -> None:
    """Or one visitor could open all there may be, and nobody else any for hours."""
    left, led, visited = (on_open(classes, {"lesson": LESSON.id}) for _ in range(3))
    for _ in range(MAX_CLASSES - 3):
        on_open(classes, {"lesson": LESSON.id})
    clock.now = HERE_SECONDS + 1
    on_lead(classes, request_to(led, key=led["key"], reveal=False))
    on_preview(classes, request_to(visited, pupil="a"))
    for _ in range(MAX_CLASSES - 2):
        on_open(classes, {"lesson": LESSON.id})
    with refused(RequestError, "too_many_classes"):
        on_open(classes, {"lesson": LESSON.id})
    on_preview(classes, request_to(led, pupil="b"))
    on_preview(classes, request_to(visited, pupil="b"))
    with refused(RequestError, "class_over"):
        on_preview(classes, request_to(left))


@pytest.mark.parametrize(
    "change",
    [
        {"class": ""},
        {"class": 3},
        {"step": 0},
        {"step": True},
        {"step": 99},
        {"pupil": "x" * 200},
        {"guess": "0"},
        {"guess": -1},
        {"guess": 1e9},
        {"guess": [0]},
        {"guess": None},
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(classes: Classrooms, change: dict[str, Any]) -> None:
    opened = on_open(classes, {"lesson": LESSON.id})
    with pytest.raises(RequestError):
        on_predict(classes, {**request_to(opened, pupil="a", guess=0), **change})
    assert on_preview(classes, request_to(opened))["predicted"] == 0
    for data in (None, [], {"lesson": "soul"}, {}):
        with pytest.raises(RequestError):
            on_open(classes, data)


def test_predictions_are_counted() -> None:
    lines = [LessonOption("", {"en": name}) for name in "abc"]
    number = Prediction("number", low=0, high=100)
    assert counted(number, [0, 9.9, 10, 99, 100]) == [2, 1, 0, 0, 0, 0, 0, 0, 0, 2]
    assert counted(Prediction("choose", options=lines), [0, 2, 2]) == [1, 0, 2]
    assert counted(Prediction("choose", of="candidates(1, 4)"), [3]) == [0, 0, 0, 1]
    assert counted(Prediction("order", options=lines), [[2, 0, 1], [0, 1, 2]]) == [1, 0, 1]
    assert counted(Prediction("draw"), [[1, 2]]) == []
    assert checked_guess(Prediction("draw"), [1.5, 2]) == [1.5, 2]
    curve, alignment = Prediction("draw", low=0, high=10), Prediction("draw")
    assert drawn(curve, [[1, 2], [4, 3], [9, 2.5], [0, 0, 0]]) == [
        {"value": 4, "count": 3},
        {"value": 2.5, "count": 3},
    ]
    assert drawn(alignment, [[2, 1], [2, 0], [0, 1], [1, 0]]) == [
        {"value": 2, "count": 2},
        {"value": 0, "count": 2},  # the first of two that as many marked
    ]
    assert drawn(alignment, []) == []
    for wrong in (float("nan"), -1, 101, "5", True, 10**400):
        with pytest.raises(RequestError):
            checked_guess(number, wrong)
    for wrong in (10**400, 1e308):  # two of the latter have no finite median
        with pytest.raises(RequestError):
            checked_guess(curve, [wrong])
