"""The lines of the course's map and the questions above it, in the language of the request."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any

from demo.i18n import say
from demo.lessons import lessons, questions
from demo.lessons.answers import server_function
from demo.lessons.lesson import CHAPTERS, LessonStep, text_of

QUESTION = re.compile(r".*?[?？]")


def on_course(_: object) -> dict[str, Any]:
    """All lessons, in their order; neighbours of one chapter have its title. And the questions above them."""
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
    """The question that the text of a step begins with."""
    return QUESTION.match(text_of(step.text))[0]  # type: ignore[index]  # a test holds each step to it


def asked_of_course() -> list[Callable[..., Awaitable[dict[str, Any]]]]:
    """Server functions of a `CourseMap`, by whose names its script asks."""
    return [server_function("course", on_course)]
