"""A link fills in a checkpoint together with its source, which choosing the checkpoint would replace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr


def linked_name() -> gr.Textbox:
    """Holds the checkpoint that a link, or a reopened result, has filled in with all that belongs to it.

    In the browser, which sets it together with the checkpoint: on the server, that of the next link could be
    there already when the change of the last one is answered.
    """
    return gr.Textbox(visible=False)


def unless_linked(handler: Callable[..., Any], outputs: int) -> Callable[..., tuple[Any, ...]]:
    """`handler` of a checkpoint's name, which does nothing where a link has just chosen that one.

    Takes the name, the value of `linked_name` and what else the handler takes; returns its outputs and, once
    another checkpoint is chosen, that the link's is no longer there.
    """

    def chosen(name: object, linked: object, *more: object) -> tuple[Any, ...]:
        if linked is not None and name == linked:
            return *[gr.skip()] * outputs, gr.skip()
        return *handler(name, *more), None

    return chosen
