"""The dock of a lesson, whose script and style the page fetches when a lesson is opened.

Root element: `aside.lesson`, inside the block that `elem_id` names; hidden until then. `data-lesson` and
`data-step` name the current step, and `data-ready` counts the drawn steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from demo.server.assets import address, register_text
from demo.widgets.view.modules import lazy_address
from demo.widgets.view.view import View, coloured_sheet

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
    return coloured_sheet(".lesson", "learn/dock/lazy/dock.css")
