"""The lines of the course's map, in the language of the request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from demo.i18n import say
from demo.lessons import lessons
from demo.lessons.answers import server_function
from demo.lessons.lesson import CHAPTERS, told


def on_course(_: object) -> dict[str, Any]:
    """All lessons, in their order; neighbours of one chapter have its title."""
    return {
        "lines": [
            {
                "id": each.id,
                "chapter": say(CHAPTERS[each.chapter]),
                "title": told(each.title),
                "reading": told(each.reading),
                "minutes": each.minutes,
                "steps": len(each.steps),
            }
            for each in lessons()
        ]
    }


def asked_of_course() -> list[Callable[..., Awaitable[dict[str, Any]]]]:
    """Server functions of a `CourseMap`, by whose names its script asks."""
    return [server_function("course", on_course)]
