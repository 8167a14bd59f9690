"""The lines of the course's map."""

from __future__ import annotations

from demo.lessons import lessons
from demo.lessons.lesson import CHAPTERS
from demo.views.course.component import Line


def course() -> list[Line]:
    """All lessons, in their order."""
    return [
        Line(each.id, CHAPTERS[each.chapter], each.title, each.reading, each.minutes, len(each.steps))
        for each in lessons()
    ]
