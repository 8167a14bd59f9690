"""The server functions of the dock, by the names that its script uses."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from demo.learn.classroom import Classrooms
from demo.learn.lessons.answers import Answer, on_lesson, on_reveal, on_step, server_function
from demo.learn.lessons.class_answers import class_handlers
from demo.learn.lessons.class_results import on_results
from demo.learn.lessons.kit_answers import on_paired, on_quiz
from demo.learn.lessons.outcomes import States
from demo.learn.lessons.recap import on_recap
from demo.widgets.share.component import on_qr_code
from demo.work.context import AppContext


def lesson_server_functions(
    context: AppContext, classes: Classrooms
) -> list[Callable[..., Awaitable[Answer]]]:
    """Return the server functions of a `LessonDock`."""
    states = States(context)
    answers: dict[str, Callable[[object], Answer]] = {
        "lesson": on_lesson,
        "step": partial(on_step, states),
        "reveal": partial(on_reveal, states),
        "recap": partial(on_recap, states),
        "quiz": partial(on_quiz, states),
        "paired": on_paired,
        **class_handlers(classes),
        "class_results": partial(on_results, classes, states),
        "qr_code": on_qr_code,
    }
    return [server_function(name, answer) for name, answer in answers.items()]
