"""Server functions of the teacher's kit: quizzes, and the test around the course."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from demo.i18n.page_translations import lazy_words
from demo.learn.lessons import lesson_called
from demo.learn.lessons.answers import Answer, form_of, lesson_of
from demo.learn.lessons.facts import LessonState
from demo.learn.lessons.kit import QuizItem, kit_of, pairs
from demo.learn.lessons.lesson import Lesson, text_of
from demo.learn.lessons.outcomes import States, model_answer
from demo.learn.lessons.states import LessonStateError
from demo.learn.lessons.terms import TermError, fill_in_terms


def on_quiz(states: States, data: object) -> Answer:
    """Return the items of a lesson's exit quiz, with their answers, for the dock to show after a choice.

    Items about a checkpoint that this page lacks are left out.
    """
    lesson = lesson_of(data)
    kit = kit_of(lesson.id)
    items = []
    for item in kit.items if kit else ():
        with suppress(TermError, LessonStateError):
            items.append(_item(item, _state(states, lesson, item)))
    return {"items": items}


def on_paired(data: object) -> Answer:
    """Return the questions of the test `before` or `after` the course, with the places of right answers."""
    which = data.get("which") if isinstance(data, Mapping) else None
    questions = [(pair.lesson, pair.after if which == "after" else pair.before) for pair in pairs()]
    return {
        "items": [
            {**_item(item, LessonState()), "topic": lesson, "title": _title(lesson)}
            for lesson, item in questions
        ],
        "words": lazy_words("learn/dock"),
    }


def _item(item: QuizItem, state: LessonState) -> Answer:
    return {
        "name": item.name,
        "at": item.step,
        "text": fill_in_terms(text_of(item.text), state),
        "options": form_of(item.prediction)["options"],
        "answer": model_answer(item.prediction, state)["answer"],
        "explanation": fill_in_terms(text_of(item.explanation), state),
        "source": item.source,
    }


def _state(states: States, lesson: Lesson, item: QuizItem) -> LessonState:
    if not item.step:
        return LessonState()
    return states.state_of(next(step.state for step in lesson.steps if step.name == item.step))


def _title(lesson: str) -> str:
    page_lesson = lesson_called(lesson)
    return text_of(page_lesson.title) if page_lesson else lesson
