"""Classes that predict together: counting, revealing and forgetting."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from demo.learn.classroom import CLASS_SECONDS, MAX_CLASSES, MAX_PUPILS, PRESENT_SECONDS, Classrooms
from demo.learn.lessons import lessons
from demo.learn.lessons.answers import fields_of
from demo.learn.lessons.class_answers import on_class_state, on_lead, on_open, on_predict
from demo.learn.lessons.histogram import (
    MAX_BINS,
    bin_of,
    bins,
    checked_guess,
    count_guesses,
    drawn_counts,
    typed_counts,
)
from demo.learn.lessons.lesson import Lesson, LessonOption, Prediction
from demo.work.requests.checks import RequestError
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


def request_to(classroom: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"class": classroom["class"], "step": CHOOSE, **more}


def test_a_class_predicts_and_its_teacher_reveals(classes: Classrooms) -> None:
    classroom = on_open(classes, {"lesson": LESSON.id})
    for pupil, guess in (("a", 0), ("b", 1), ("c", 1), ("b", 0)):  # b thinks again
        assert on_predict(classes, request_to(classroom, pupil=pupil, guess=guess)) == {}
    view = on_class_state(classes, request_to(classroom, pupil="d"))
    assert (view["predicted"], view["pupils"], view["revealed"]) == (3, 4, False)
    assert "counts" not in view  # nobody sees what the others think before it is revealed
    assert set(view) == {"lesson", "step", "pupils", "predicted", "revealed"}
    led = on_lead(classes, request_to(classroom, key=classroom["key"]))
    assert led["counts"] == [2, 1]
    on_lead(classes, request_to(classroom, key=classroom["key"], reveal=True))
    view = on_class_state(classes, request_to(classroom, pupil="d"))
    assert (view["revealed"], view["counts"], view["step"]) == (True, [2, 1], CHOOSE)
    with refused(RequestError, "prediction_too_late"):
        on_predict(classes, request_to(classroom, pupil="d", guess=0))


def test_a_class_begins_at_its_teachers_step(classes: Classrooms) -> None:
    classroom = on_open(classes, {"lesson": LESSON.id, "step": CHOOSE + 1})
    assert on_class_state(classes, request_to(classroom, pupil="a"))["step"] == CHOOSE + 1
    with refused(RequestError, "no_such_class_step", len(LESSON.steps)):
        on_open(classes, {"lesson": LESSON.id, "step": 99})


def test_a_teachers_request_shows_predictions_and_changes_nothing(classes: Classrooms) -> None:
    """Otherwise two tabs of a teacher at different steps would move the class back and forth."""
    classroom = on_open(classes, {"lesson": LESSON.id})
    on_predict(classes, request_to(classroom, pupil="a", guess=1))
    on_lead(classes, request_to(classroom, key=classroom["key"], step=CHOOSE + 1))
    view = on_class_state(classes, request_to(classroom, key=classroom["key"]))
    assert (view["step"], view["counts"], view["pupils"]) == (CHOOSE + 1, [0, 1], 1)


def test_only_the_key_of_the_teacher_leads_a_class(classes: Classrooms) -> None:
    classroom = on_open(classes, {"lesson": LESSON.id})
    for key in ("x", classroom["class"]):
        with refused(RequestError, "class_of_another_teacher"):
            on_lead(classes, request_to(classroom, key=key, reveal=True))
    assert not on_class_state(classes, request_to(classroom, pupil="a", key="x"))["revealed"]
    assert "counts" not in on_class_state(classes, request_to(classroom, pupil="a", key="x"))


def test_pupils_who_left_free_their_places(classes: Classrooms, clock: Clock) -> None:
    classroom = on_open(classes, {"lesson": LESSON.id})
    for number in range(MAX_PUPILS):
        on_predict(classes, request_to(classroom, pupil=f"p{number}", guess=0))
    with refused(RequestError, "class_full", MAX_PUPILS):
        on_class_state(classes, request_to(classroom, pupil="late"))
    clock.now = PRESENT_SECONDS + 1
    view = on_class_state(classes, request_to(classroom, pupil="late"))
    assert (view["pupils"], view["predicted"]) == (1, MAX_PUPILS - 1)


def test_classes_are_capped_and_forgotten(classes: Classrooms, clock: Clock) -> None:
    first = on_open(classes, {"lesson": LESSON.id})
    for _ in range(MAX_CLASSES - 1):
        on_open(classes, {"lesson": LESSON.id})
    with refused(RequestError, "too_many_classes"):
        on_open(classes, {"lesson": LESSON.id})
    clock.now = CLASS_SECONDS + 1
    with refused(RequestError, "class_over"):
        on_class_state(classes, request_to(first))
    assert len(classes) == 0


def test_abandoned_classes_free_their_places(classes: Classrooms, clock: Clock) -> None:
    """Otherwise one visitor could occupy all classes for hours."""
    left, led, visited = (on_open(classes, {"lesson": LESSON.id}) for _ in range(3))
    for _ in range(MAX_CLASSES - 3):
        on_open(classes, {"lesson": LESSON.id})
    clock.now = PRESENT_SECONDS + 1
    on_lead(classes, request_to(led, key=led["key"], reveal=False))
    on_class_state(classes, request_to(visited, pupil="a"))
    for _ in range(MAX_CLASSES - 2):
        on_open(classes, {"lesson": LESSON.id})
    with refused(RequestError, "too_many_classes"):
        on_open(classes, {"lesson": LESSON.id})
    on_class_state(classes, request_to(led, pupil="b"))
    on_class_state(classes, request_to(visited, pupil="b"))
    with refused(RequestError, "class_over"):
        on_class_state(classes, request_to(left))


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
def test_invalid_requests_are_refused_with_a_sentence(classes: Classrooms, change: dict[str, Any]) -> None:
    classroom = on_open(classes, {"lesson": LESSON.id})
    with pytest.raises(RequestError):
        on_predict(classes, {**request_to(classroom, pupil="a", guess=0), **change})
    assert on_class_state(classes, request_to(classroom))["predicted"] == 0
    for data in (None, [], {"lesson": "soul"}, {}):
        with pytest.raises(RequestError):
            on_open(classes, fields_of(data))


def test_predictions_are_counted() -> None:
    lines = [LessonOption("", {"en": name}) for name in "abc"]
    number = Prediction("number", low=0, high=100)
    assert count_guesses(number, [0, 9, 10, 99, 100]) == [2, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1]
    assert count_guesses(Prediction("choose", options=lines), [0, 2, 2]) == [1, 0, 2]
    assert count_guesses(Prediction("choose", options_fact="candidates(1, 4)"), [3]) == [0, 0, 0, 1]
    assert count_guesses(Prediction("order", options=lines), [[2, 0, 1], [0, 1, 2]]) == [1, 0, 1]
    assert count_guesses(Prediction("draw"), [[1, 2]]) == []
    assert checked_guess(Prediction("draw"), [1.5, 2]) == [1.5, 2]
    curve, alignment = Prediction("draw", low=0, high=10), Prediction("draw")
    assert drawn_counts(curve, [[1, 2], [4, 3], [9, 2.5], [0, 0, 0]]) == [
        {"value": 4, "count": 3},
        {"value": 2.5, "count": 3},
    ]
    assert drawn_counts(alignment, [[2, 1], [2, 0], [0, 1], [1, 0]]) == [
        {"value": 2, "count": 2},
        {"value": 0, "count": 2},  # the first of two that as many marked
    ]
    assert drawn_counts(alignment, []) == []
    guesses = ["Mat", "rug", "mat", " ␣cat"]
    assert typed_counts(guesses)[:2] == [{"text": "Mat", "count": 2}, {"text": "rug", "count": 1}]
    assert checked_guess(Prediction("type"), "  on  the ") == "on the"
    for wrong in ("", "  ", "a" * 41, "a\x00", 3, None, ["mat"]):
        with pytest.raises(RequestError):
            checked_guess(Prediction("type"), wrong)
    for wrong in (float("nan"), -1, 101, "5", True, 10**400):
        with pytest.raises(RequestError):
            checked_guess(number, wrong)
    for wrong in (10**400, 1e308):  # two of the latter have no finite median
        with pytest.raises(RequestError):
            checked_guess(curve, [wrong])


def test_bins_hold_numbers_that_a_reader_can_choose() -> None:
    one_to_eight = Prediction("number", low=1, high=8)
    assert bins(one_to_eight) == [(number, number) for number in range(1, 9)]
    percent = Prediction("number", low=0, high=100)
    assert bins(percent) == [*((first, first + 9) for first in range(0, 100, 10)), (100, 100)]
    assert bins(Prediction("number", low=1, high=30)) == [*((first, first + 4) for first in range(1, 30, 5))]
    fine = Prediction("number", low=1, high=12, resolution=0.1)
    assert bins(fine)[:2] == [(1, 1.9), (2, 2.9)]
    assert bins(Prediction("number", low=0, high=1, resolution=0.01))[-2:] == [(0.9, 0.99), (1, 1)]
    assert [bin_of(percent, value) for value in (0, 9.4, 9.6, 100, -1, 101)] == [0, 0, 1, 10, None, None]


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.id)
def test_the_bins_of_every_question_follow_each_other_without_gaps(lesson: Lesson) -> None:
    for step in lesson.steps:
        prediction = step.prediction
        if prediction is None or prediction.kind != "number":
            continue
        edges = bins(prediction)
        assert 1 < len(edges) <= MAX_BINS
        assert (edges[0][0], edges[-1][1]) == (prediction.low, prediction.high)
        for (_, last), (first, _) in pairwise(edges):
            assert first - last == pytest.approx(prediction.resolution)
        assert [bin_of(prediction, first) for first, _ in edges] == [*range(len(edges))]
        assert [bin_of(prediction, last) for _, last in edges] == [*range(len(edges))]
