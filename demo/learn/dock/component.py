"""The dock of a lesson, whose script and style the page fetches when a lesson is opened.

Root element: `aside.lesson`, inside the block that `elem_id` names; hidden until then. `data-lesson` and
`data-step` name the current step, and `data-ready` counts the drawn steps.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from demo.learn.classroom import Classrooms
from demo.learn.lessons.answers import (
    Answer,
    on_lesson,
    on_paired,
    on_quiz,
    on_recap,
    on_reveal,
    on_step,
    server_function,
)
from demo.learn.lessons.class_answers import on_class_state, on_lead, on_open, on_predict, on_results
from demo.learn.lessons.states import States
from demo.server.assets import address, register_text
from demo.widgets.share.component import on_qr_code
from demo.widgets.view.assets import lazy_address
from demo.widgets.view.view import View, with_colours
from demo.work.context import AppContext

TEMPLATE = '<aside class="lesson" data-ready="0" hidden></aside>'
STYLES = "lesson-style", "lesson.css"


class LessonDock(View):
    """The dock of a lesson, without value and event; its script calls `demo.learn.lessons.answers`."""

    def __init__(self, *, elem_id: str, server_functions: Sequence[Callable[..., object]]) -> None:
        """`server_functions` by name: lesson, step, reveal."""
        register_text(*STYLES, dock_style())
        super().__init__(
            "learn/dock",
            template=TEMPLATE,
            style="",
            elem_id=elem_id,
            server_functions=list(server_functions),
            lazy=lazy_address("learn/dock"),
            lazy_style=address(*STYLES),
        )


def dock_style() -> str:
    """The style sheet of the dock."""
    return with_colours(".lesson", "learn/dock/lazy/dock.css", nested=False)


def lesson_server_functions(
    context: AppContext, classes: Classrooms
) -> list[Callable[..., Awaitable[Answer]]]:
    """Return the server functions of a `LessonDock`, by the names that its script uses."""
    states = States(context)
    answers: dict[str, Callable[[object], Answer]] = {
        "lesson": on_lesson,
        "step": partial(on_step, states),
        "reveal": partial(on_reveal, states),
        "recap": partial(on_recap, states),
        "quiz": partial(on_quiz, states),
        "paired": on_paired,
        "class_open": partial(on_open, classes),
        "class_predict": partial(on_predict, classes),
        "class_lead": partial(on_lead, classes),
        "class_look": partial(on_class_state, classes),
        "class_results": partial(on_results, classes, states),
        "qr_code": on_qr_code,
    }
    return [server_function(name, answer) for name, answer in answers.items()]
