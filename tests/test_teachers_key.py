"""The ready paths of a teacher: they fit their time, and nothing is taught before what it builds on."""

from __future__ import annotations

import pytest

from demo.lessons import lessons
from tests.teachers_key import CLASSES, POSTTEST, PRETEST, QUIZ, TALK, WEEKS, key, lesson_kit

BY_NAME = {lesson.id: lesson for lesson in lessons()}


@pytest.mark.parametrize("length", CLASSES)
def test_a_plan_fits_its_time_and_gives_each_lesson_enough(length: int) -> None:
    plan = CLASSES[length]
    assert sum(minutes for _, minutes in plan) == length
    for part, minutes in plan:
        assert part in {QUIZ, TALK} or minutes >= 3 * BY_NAME[part].minutes


def test_six_weeks_teach_every_lesson_once_after_what_it_builds_on() -> None:
    parts = [part for week in WEEKS for part in week]
    assert (parts[0], parts[-1]) == (PRETEST, POSTTEST)
    taught = parts[1:-1]
    assert sorted(taught) == sorted(BY_NAME)
    for index, name in enumerate(taught):
        assert {*lesson_kit(BY_NAME[name]).before} <= {*taught[:index]}, name


@pytest.mark.slow
def test_the_key_answers_each_question_and_leaves_no_term_open() -> None:
    text = key()
    questions = sum(step.prediction is not None for lesson in BY_NAME.values() for step in lesson.steps)
    rows = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith("| step")]
    assert len(rows) == questions
    assert all(len([cell for cell in row.split(" | ") if cell.strip("| ")]) == 4 for row in rows)
    assert "{" not in text
