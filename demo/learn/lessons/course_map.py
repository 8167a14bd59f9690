"""The lines of the course's map and the questions above it, in the language of the request."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any

from demo.i18n import say
from demo.learn.lessons import lessons, questions
from demo.learn.lessons.answers import server_function
from demo.learn.lessons.lesson import CHAPTERS, LessonStep, text_of

QUESTION = re.compile(r".*?[?？]")


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


def course_server_functions() -> list[Callable[..., Awaitable[dict[str, Any]]]]:
    """Return the server functions of a `CourseMap`, by the names that its script uses."""
    return [server_function("course", on_course)]
