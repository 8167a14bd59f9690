"""The lessons of the course, each a Markdown file in `course/`. A new one needs no entry in a list."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from demo.learn.lessons.lesson import CHAPTERS, Lesson
from demo.learn.lessons.reading import read_lesson

COURSE = Path(__file__).parent / "course"
QUESTIONS = Path(__file__).with_name("questions.md")


@cache
def lessons() -> tuple[Lesson, ...]:
    """Return all lessons, chapter by chapter. Raises LessonFormError, which a test finds first."""
    result = [read_lesson(path.stem, path.read_text(encoding="utf-8")) for path in COURSE.glob("*.md")]
    chapters = list(CHAPTERS)
    return tuple(sorted(result, key=lambda lesson: (chapters.index(lesson.chapter), lesson.position)))


@cache
def questions() -> Lesson:
    """Return the questions of a classroom: each step opens the page that shows its answer.

    It has the form of a lesson and is no part of the course. Raises LessonFormError.
    """
    return read_lesson(QUESTIONS.stem, QUESTIONS.read_text(encoding="utf-8"))


def lesson_called(name: object) -> Lesson | None:
    """Return the lesson with an id, or None."""
    return next((lesson for lesson in (*lessons(), questions()) if lesson.id == name), None)
