"""Choices on a form: the checkpoints in every list of them, and the one that it was filled in for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import gradio as gr
from gradio.components import Component

from demo.i18n import say
from demo.work.context import AppContext
from demo.work.requests.checks import RequestError, check_name, is_picture
from demo.work.training_service import checkpoint_of
from models.registry.card import CheckpointError
from models.registry.checkpoint import CheckpointConfig
from models.registry.hugging_face.files import is_hugging_face
from models.registry.name import CheckpointName, UnknownCheckpointError
from models.training.runs.request import is_token
from models.training.runs.run_folder import Run

Widget = TypeVar("Widget", bound=Component)
Choices = list[tuple[str, str]]  # label, and value in a request
TABLE_FILES = "TSV, CSV, JSON Lines, TMX, or line-aligned files: test.es + test.en"


@dataclass(frozen=True)
class OtherTabs:
    """Parts of the page that a tab uses; `pickers` are the lists of checkpoints, that of Decode first."""

    page: gr.Blocks
    tabs: gr.Tabs
    visitor: gr.BrowserState
    pickers: tuple[gr.Dropdown, ...]


def segments(
    label: str,
    info: str,
    choices: Choices,
    value: str,
    classes: Sequence[str] = (),
    elem_id: str | None = None,
) -> gr.Radio:
    """A choice of few options, drawn as segments side by side."""
    return gr.Radio(
        choices,
        value=value,
        label=label,
        info=info,
        elem_classes=["segmented", *classes],
        elem_id=elem_id,
        min_width=120,
    )


def table_files(label: str = TABLE_FILES, **options: Any) -> gr.File:
    """A place for the files of a table; `options` are those of `gr.File`."""
    return gr.File(label=label, file_count="multiple", type="filepath", **options)


def checkpoint_list(choices: Callable[[], Choices], **options: Any) -> gr.Dropdown:
    """A list of checkpoints, named in the language of the request; `options` are those of `gr.Dropdown`."""
    return in_languages(gr.Dropdown(choices(), **options), lambda: {"choices": choices()})


def in_languages(component: Widget, properties: Callable[[], dict[str, Any]]) -> Widget:
    """The component, whose `properties` are computed anew for the language of each request."""
    component.translated_props = properties  # type: ignore[attr-defined]
    return component


def _choices_of(context: AppContext, names: Iterable[str]) -> Choices:
    """Each checkpoint by its name in words."""
    return [(context.title(name), name) for name in names]


def with_rounded(context: AppContext, choices: Choices) -> Choices:
    """The choices, then those of them that can have weights of 8 bits, with these."""
    return [*choices, *_eight_bit_choices(context, choices)]


def own_checkpoints(context: AppContext, token: object, run: Run | None = None) -> Choices:
    """The choices of `own_names`."""
    return _choices_of(context, own_names(context, token, run))


def own_names(context: AppContext, token: object, run: Run | None = None) -> list[str]:
    """The checkpoints that ship, those from the Hub, the visitor's own, and that of the current run."""
    shipped = list(context.registry.names())
    if context.training is None:
        return shipped
    runs = list(context.training.runs.of(str(token))) if is_token(token) else []
    if run is not None and run.id not in {item.id for item in runs}:
        runs.append(run)
    return shipped + [item.id for item in runs if checkpoint_of(item) is not None]


def picker_updates(
    context: AppContext, choices: Choices, current: Sequence[object] = (), pickers: int = 3
) -> list[Any]:
    """Updates for the list of Decode, then for those of Compare, which offer weights of 8 bits too.

    `current` are their values, which keep their variants.
    """
    values = [_name(value) for value in current]
    decode = [_in_variant(context, choice, values[0] if values else None) for choice in choices]
    names = {name for _, name in choices}
    current_names = [value for value in dict.fromkeys(values) if value is not None and value.base in names]
    in_variants = [str(name) for name in current_names if name.variant and not name.precision]
    variants = _choices_of(context, in_variants)
    compared = gr.update(choices=[*choices, *variants, *_eight_bit_choices(context, choices)])
    return [gr.update(choices=decode), *[compared] * (pickers - 1)]


def _eight_bit_choices(context: AppContext, choices: Choices) -> Choices:
    """The choices of checkpoints with weights of 8 bits."""
    return [
        (say("{name}, 8 bits", name=label), str(CheckpointName(name).rounded))
        for label, name in choices
        if _rounds(context, name)
    ]


def _name(value: object) -> CheckpointName | None:
    """The name that is a list's value; None if it is not a name."""
    try:
        return check_name(value)
    except RequestError:
        return None


def _in_variant(
    context: AppContext, choice: tuple[str, str], value: CheckpointName | None
) -> tuple[str, str]:
    """The label and value of a checkpoint in a list; the current checkpoint keeps its variant."""
    if value is None or not value.variant or value.base != choice[1]:
        return choice
    return context.title(value), str(value)


def _rounds(context: AppContext, name: str) -> bool:
    """Whether a checkpoint can have weights of 8 bits: only the project's own networks can."""
    try:
        return not is_hugging_face(context.config(name))
    except (CheckpointError, UnknownCheckpointError):
        return True  # a damaged one says so when it is chosen


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
