"""A link fills in a checkpoint together with its source, which choosing the checkpoint would replace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr


def unless_linked(handler: Callable[..., Any], outputs: int) -> Callable[..., tuple[Any, ...]]:
    """`handler` of a checkpoint's name, which does nothing where a link has just chosen that one.

    Takes the name, what the link chose, and what else the handler takes; returns its outputs and that nothing
    is chosen now.
    """

    def chosen(name: object, linked: object, *more: object) -> tuple[Any, ...]:
        if linked is not None and name == linked:
            return *[gr.skip()] * outputs, None
        return *handler(name, *more), None

    return chosen
