"""The checkpoints that a visitor may choose from, in every list of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gradio as gr

from demo.i18n import message_text
from demo.requests.checks import RequestError, check_name
from demo.service.context import AppContext
from demo.service.training.training import checkpoint_of
from models.errors import Message
from models.registry.card import CheckpointError
from models.registry.hugging_face.files import is_hugging_face
from models.registry.name import CheckpointName, UnknownCheckpointError
from models.training.runs.request import is_token
from models.training.runs.run_folder import Run

Choices = list[tuple[str, str]]  # label and name


def own_checkpoints(context: AppContext, token: object, run: Run | None = None) -> Choices:
    """The checkpoints that ship, those from the Hub, the visitor's own, and that of the current run."""
    shipped = [(name, name) for name in context.registry.names()]
    if context.training is None:
        return shipped
    runs = list(context.training.runs.of(str(token))) if is_token(token) else []
    if run is not None and run.id not in {item.id for item in runs}:
        runs.append(run)
    return shipped + [(context.label(item.id), item.id) for item in runs if checkpoint_of(item) is not None]


def picker_updates(
    context: AppContext, choices: Choices, current: Sequence[object] = (), pickers: int = 3
) -> list[Any]:
    """Updates for the list of Decode, then for those of Compare, which offer weights of 8 bits too.

    `current` are their values, which keep their variants.
    """
    values = [_name(value) for value in current]
    decode = [_in_variant(label, name, values[0] if values else None) for label, name in choices]
    names = {name for _, name in choices}
    current_names = [value for value in dict.fromkeys(values) if value is not None and value.base in names]
    variants = [(str(name), str(name)) for name in current_names if name.variant and not name.precision]
    rounded = [(message_text(eight_bits(label)), name) for label, name in rounded_choices(context, choices)]
    compared = gr.update(choices=[*choices, *variants, *rounded])
    return [gr.update(choices=decode), *[compared] * (pickers - 1)]


def eight_bits(label: str) -> Message:
    """The label of a checkpoint with weights of 8 bits."""
    return Message("eight_bits", "{name}, 8 bits", name=label)


def rounded_choices(context: AppContext, choices: Choices) -> Choices:
    """The choices of checkpoints with weights of 8 bits."""
    return [(label, str(CheckpointName(name).rounded)) for label, name in choices if _rounds(context, name)]


def _name(value: object) -> CheckpointName | None:
    """The name that is a list's value; None if it is not a name."""
    try:
        return check_name(value)
    except RequestError:
        return None


def _in_variant(label: str, name: str, value: CheckpointName | None) -> tuple[str, str]:
    """The label and value of a checkpoint in a list; the current checkpoint keeps its variant."""
    if value is None or not value.variant or value.base != name:
        return label, name
    return str(value), str(value)


def _rounds(context: AppContext, name: str) -> bool:
    """Whether a checkpoint can have weights of 8 bits: only the project's own networks can."""
    try:
        return not is_hugging_face(context.config(name))
    except (CheckpointError, UnknownCheckpointError):
        return True  # a damaged one says so when it is chosen
