"""The course as a map: questions, chapters with their lessons; only the browser stores the progress.

Root element: `section.course`, inside the block that `elem_id` names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from demo.i18n import say
from demo.learn.lessons import lessons, questions
from demo.learn.lessons.lesson import CHAPTERS, LessonStep, text_of
from demo.widgets.view.view import View, with_colours

QUESTION = re.compile(r".*?[?？]")


class CourseMap(View):
    """Shows the lessons, which its script requests and opens; it has no value and no event."""

    def __init__(self, *, elem_id: str, server_functions: Sequence[Callable[..., object]]) -> None:
        """`server_functions`: `course` lists the lessons in their order."""
        super().__init__(
            "learn/course_map",
            style=with_colours(".course", "learn/course_map/view.css"),
            elem_id=elem_id,
            server_functions=list(server_functions),
        )


def on_course(_: object) -> dict[str, Any]:
    """Return all lessons in order, with chapter titles, and the questions above them."""
    return {
        "questions": [question(step) for step in questions().steps],
        "lines": [
            {
                "id": lesson.id,
                "chapter": say(CHAPTERS[lesson.chapter]),
                "title": text_of(lesson.title),
                "reading": text_of(lesson.reading),
                "minutes": lesson.minutes,
                "steps": len(lesson.steps),
            }
            for lesson in lessons()
        ],
    }


def question(step: LessonStep) -> str:
    """Return the question at the start of a step's text."""
    return QUESTION.match(text_of(step.text))[0]  # type: ignore[index]  # a test holds each step to it
