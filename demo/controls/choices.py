"""The checkpoints that a visitor may choose from, in every list of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gradio as gr

from demo.context import EIGHT_BIT, AppContext
from demo.i18n import say
from demo.training.service import checkpoint_of
from models.registry.card import CheckpointError
from models.registry.foreign import is_foreign
from models.registry.registry import UnknownCheckpointError
from models.registry.variant import MARK, split_name
from models.training.request import is_token
from models.training.run import Run

Choices = list[tuple[str, str]]  # label and name


def own_checkpoints(context: AppContext, token: object, run: Run | None = None) -> Choices:
    """Those that ship or came from the Hub, the visitor's own, and that of a run on show."""
    shipped = [(name, name) for name in context.registry.names()]
    if context.training is None:
        return shipped
    runs = list(context.training.runs.of(str(token))) if is_token(token) else []
    if run is not None and run.id not in {own.id for own in runs}:
        runs.append(run)
    return shipped + [(run_label(context, own), own.id) for own in runs if checkpoint_of(own) is not None]


def run_label(context: AppContext, run: Run) -> str:
    """What a run is called in a list."""
    assert context.training is not None
    return f"{context.training.runs.request(run).title} · {run.id[-4:]}"


def picker_updates(
    context: AppContext, choices: Choices, chosen: Sequence[object] = (), pickers: int = 3
) -> list[Any]:
    """For the list of the Decode tab, then for those of Compare, which offer weights of 8 bits too.

    `chosen` are their values, which keep their variants.
    """
    values = [value if isinstance(value, str) else "" for value in chosen]
    decode = [_in_variant(label, name, values[0] if values else "") for label, name in choices]
    names = {name for _, name in choices}
    told = [value for value in dict.fromkeys(values) if MARK in value and split_name(value)[0] in names]
    variants = [(value, value) for value in told if not value.endswith(EIGHT_BIT)]
    rounded = [
        (say("{name}, 8 bits", name=label), name + EIGHT_BIT)
        for label, name in choices
        if rounds(context, name)
    ]
    compared = gr.update(choices=[*choices, *variants, *rounded])
    return [gr.update(choices=decode), *[compared] * (pickers - 1)]


def _in_variant(label: str, name: str, chosen: str) -> tuple[str, str]:
    """One name once: in the variant that is chosen, if that is one of it."""
    return (chosen, chosen) if MARK in chosen and split_name(chosen)[0] == name else (label, name)


def rounds(context: AppContext, name: str) -> bool:
    """Whether its weights have a form of 8 bits: those of our own networks have."""
    try:
        return not is_foreign(context.config(name))
    except (CheckpointError, UnknownCheckpointError):
        return True  # a damaged one says so when it is chosen
