"""The checkpoint picker with its card, in a chip that names the checkpoint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from demo.decode.controls.source import opening
from demo.i18n import in_page, later, message_text
from demo.widgets.checkpoint_card.component import CheckpointSummary
from demo.widgets.chip.component import Chip, chip_panel
from demo.widgets.form.choices import (
    checkpoint_list,
    in_languages,
    own_checkpoints,
    own_names,
    readable_config,
)
from demo.widgets.form.variant import VariantRow, build_variants
from demo.work.context import AppContext
from demo.work.requests.checks import check_name
from models.errors import Message
from models.registry.card import CheckpointCard

NEIGHBOUR_LABELS = (
    later("Previous checkpoint of {count} that read such sources: {name}"),
    later("Next checkpoint of {count} that read such sources: {name}"),
)
# Waits for the checkpoint's label in the list: a visitor's own run has a title instead of its name.
LABEL_IN_LIST = """async (name) => {
  await new Promise((done) => setTimeout(done, 50));
  const listed = document.querySelector("#checkpoint input")?.value;
  return listed || (name ?? "").replace(/-[0-9a-f]{8}([0-9a-f]{4})(?![0-9a-z])/, " · $1");
}"""


@dataclass(frozen=True)
class CheckpointPicker:
    """The choice of a checkpoint, its facts and the text of its card."""

    name: gr.Dropdown
    summary: CheckpointSummary
    variant: VariantRow
    body: gr.Markdown
    neighbours: tuple[gr.Button, gr.Button]  # buttons for the previous and the next checkpoint


def build_checkpoint_picker(
    context: AppContext, default_name: str | None, card: CheckpointCard | str | None
) -> CheckpointPicker:
    """Build the picker with a default; `card` is a sentence if there is no card."""

    def title() -> dict[str, Any]:
        return {"value": context.title(default_name) if default_name else ""}

    def text() -> dict[str, Any]:
        return {"value": card_text(opening(context, default_name).card)}

    chip = Chip(**title(), called=in_page("Checkpoint"), elem_id="checkpoint-name", render=False)
    in_languages(chip, title)
    with chip_panel(chip, "checkpoint-chip"):
        with gr.Row(elem_classes="picker-row"):
            name = checkpoint_list(
                lambda: own_checkpoints(context, None),
                value=default_name,
                label="Checkpoint",
                info="A trained network and its vocabulary.",
                filterable=False,
                elem_id="checkpoint",
                min_width=210,
            )
            with gr.Row(elem_classes="variants"):
                variant = build_variants(context, default_name, "variant")
        with gr.Row(elem_id="checkpoint-neighbours"):
            previous, following = (_neighbour_button(context, default_name, index) for index in (0, 1))
        summary = CheckpointSummary(card, elem_id="checkpoint-summary")
        with gr.Accordion("Model card", open=False, elem_id="model-card"):
            body = in_languages(gr.Markdown(card_text(card), elem_id="model-card-text"), text)
    name.change(None, name, chip, js=LABEL_IN_LIST)
    return CheckpointPicker(name, summary, variant, body, (previous, following))


def neighbours(context: AppContext, name: object, token: object) -> list[tuple[str, Message]]:
    """The previous and the next checkpoint that read what `name` reads, and the labels of their buttons.

    Nothing if no other one does, or if `name` cannot be read.
    """
    config = readable_config(context, name)
    if config is None:
        return []
    base = check_name(name).base
    configs = ((other, readable_config(context, other)) for other in own_names(context, token))
    alike = [other for other, read in configs if read is not None and read.reads_like(config)]
    if base not in alike or len(alike) < 2:
        return []
    index = alike.index(base)
    names = alike[index - 1], alike[(index + 1) % len(alike)]
    return [
        (other, Message("neighbour", label, count=len(alike), name=context.title(other)))
        for other, label in zip(names, NEIGHBOUR_LABELS, strict=True)
    ]


def on_neighbours(context: AppContext, name: object, token: object) -> list[Any]:
    """The two buttons for the chosen checkpoint; hidden if they lead nowhere."""
    labels = [label for _, label in neighbours(context, name, token)]
    if not labels:
        return [gr.update(visible=False)] * 2
    return [gr.update(value=message_text(label), visible=True) for label in labels]


def on_neighbour(context: AppContext, index: int, name: object, token: object) -> Any:
    """The checkpoint before (0) or after (1) `name` among those that read the same kind of source."""
    names = [other for other, _ in neighbours(context, name, token)]
    return gr.update(value=names[index]) if names else gr.skip()


def _neighbour_button(context: AppContext, name: str | None, index: int) -> gr.Button:
    """The button for the checkpoint before (0) or after (1) `name`; hidden if there is none."""

    def labels() -> list[Message]:
        return [label for _, label in neighbours(context, name, None)][index : index + 1]

    side = ("previous", "next")[index]
    button = gr.Button("", visible=bool(labels()), elem_classes=side, size="sm", min_width=0)
    button.value = next(iter(labels()), "")  # the constructor would make the message an English text
    return in_languages(button, lambda: {"value": "".join(map(message_text, labels()))})


def card_text(card: CheckpointCard | str | None) -> str:
    """The Markdown of a card: the project's, never a visitor's."""
    return card.body if isinstance(card, CheckpointCard) else ""
