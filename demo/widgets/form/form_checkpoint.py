"""The checkpoint that a form was filled in for, so that its change fills the form in only once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gradio as gr

from demo.work.context import AppContext
from demo.work.requests.checks import RequestError, check_name, is_picture
from models.registry.card import CheckpointError
from models.registry.checkpoint import CheckpointConfig
from models.registry.name import UnknownCheckpointError


def form_checkpoint(name: str | None = None) -> gr.Textbox:
    """A hidden box with the checkpoint whose text, examples and limits the form shows, at first `name`.

    The browser keeps it and sets it together with the checkpoint. A copy on the server could already have the
    checkpoint of the next link when the change of the last one is answered.
    """
    return gr.Textbox(name, visible=False)


def fill_once(handler: Callable[..., Any], unchanged: Sequence[Any]) -> Callable[..., tuple[Any, ...]]:
    """Wrap `handler`, which fills in the form for a checkpoint, so that it runs once for each choice.

    The wrapper takes a checkpoint's name, the value of `form_checkpoint` and the handler's other arguments.
    It returns the new value of `form_checkpoint`, and the handler's outputs, or `unchanged` if the form shows
    this checkpoint already.
    """

    def on_choice(name: object, filled: object, *more: object) -> tuple[Any, ...]:
        if name == filled:
            return gr.skip(), *unchanged
        return name, *handler(name, filled, *more)

    return on_choice


def readable_config(context: AppContext, name: object) -> CheckpointConfig | None:
    """The configuration of a checkpoint; None if there is none, or if it cannot be read."""
    try:
        return context.config(check_name(name))
    except (RequestError, CheckpointError, UnknownCheckpointError):
        return None


def fits(context: AppContext, name: object, before: object, source: str) -> bool:
    """Whether a source for `before` fits `name`; true where nothing is known."""
    config, other = readable_config(context, name), readable_config(context, before)
    if config is None:
        return True
    if config.reads_pictures != is_picture(source):
        return False
    return other is None or config.reads_like(other)
