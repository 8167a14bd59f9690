"""The ready paths of a teacher: they fit their time and leave out no lesson of the course."""

from __future__ import annotations

import pytest

from demo.learn.lessons import lessons
from tests.documents import ROOT, Document
from tests.teachers_key import CLASSES, QUIZ, TALK, WEEKS

BY_NAME = {lesson.id: lesson for lesson in lessons()}


@pytest.mark.parametrize("length", CLASSES)
def test_a_plan_fills_its_time_with_at_least_three_times_the_minutes_of_each_lesson(length: int) -> None:
    plan = CLASSES[length]
    assert sum(minutes for _, minutes in plan) == length
    for part, minutes in plan:
        assert part in {QUIZ, TALK} or minutes >= 3 * BY_NAME[part].minutes


def test_six_weeks_teach_every_lesson() -> None:
    assert sum(WEEKS) == len(BY_NAME)


def test_the_key_answers_each_question_and_leaves_no_term_open() -> None:
    text = Document(ROOT / "docs" / "teachers-key.md").marked("key")  # tests/test_docs.py computes it again
    questions = sum(step.prediction is not None for lesson in BY_NAME.values() for step in lesson.steps)
    rows = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith("| step")]
    assert len(rows) == questions
    assert all(len([cell for cell in row.split(" | ") if cell.strip("| ")]) == 4 for row in rows)
    assert "{" not in text
