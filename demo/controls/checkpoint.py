"""The checkpoint picker with its card, in a chip that names the checkpoint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from demo.controls.chip import chip_panel
from demo.controls.choices import own_checkpoints
from demo.controls.source import opening
from demo.controls.variant import VariantRow, build_variant_row
from demo.i18n import in_page
from demo.requests.checks import RequestError, check_name
from demo.service.context import AppContext
from demo.views.chip.component import Chip
from demo.views.decode.checkpoint_card.component import CheckpointSummary
from models.registry.card import CheckpointCard, CheckpointError
from models.registry.checkpoint import CheckpointConfig
from models.registry.name import UnknownCheckpointError

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
    chip = Chip(default_name or "", called=in_page("Checkpoint"), elem_id="checkpoint-name", render=False)
    with chip_panel(chip, "checkpoint-chip"):
        with gr.Row(elem_classes="picker-row"):
            name = gr.Dropdown(
                choices=list(context.registry.names()),
                value=default_name,
                label="Checkpoint",
                info="A trained network and its vocabulary.",
                filterable=False,
                elem_id="checkpoint",
                min_width=210,
            )
            variant = build_variant_row(context, default_name)
        summary = CheckpointSummary(card, elem_id="checkpoint-summary")
        with gr.Accordion("Model card", open=False, elem_id="model-card"):
            body = ModelCard(context, default_name, card)
    with gr.Row(elem_id="checkpoint-neighbours"):
        neighbours = (
            gr.Button("Previous checkpoint", elem_classes="sign previous", min_width=0),
            gr.Button("Next checkpoint", elem_classes="sign next", min_width=0),
        )
    name.change(None, name, chip, js=LABEL_IN_LIST)
    return CheckpointPicker(name, summary, variant, body, neighbours)


def on_neighbour(context: AppContext, step: int, name: object, token: object) -> Any:
    """The checkpoint `step` places after `name` among those that read the same kind of source.

    Raises RequestError, UnknownCheckpointError, CheckpointError.
    """
    base = check_name(name).base
    config = context.config(base)
    alike = [
        checkpoint
        for _, checkpoint in own_checkpoints(context, token)
        if _reads_like(context, checkpoint, config)
    ]
    if base not in alike or len(alike) < 2:
        raise RequestError(
            "no_neighbour", "No other checkpoint reads what {name} reads.", name=context.label(base)
        )
    return gr.update(value=alike[(alike.index(base) + step) % len(alike)])


def _reads_like(context: AppContext, name: str, config: CheckpointConfig) -> bool:
    try:
        return context.config(name).reads_like(config)
    except (CheckpointError, UnknownCheckpointError):
        return False  # the list of checkpoints says what is wrong with it


class ModelCard(gr.Markdown):
    """The text of a card."""

    is_template = True  # the browser draws it as a Markdown component

    def __init__(self, context: AppContext, name: str | None, card: CheckpointCard | str | None) -> None:
        """`card` is that of the checkpoint `name`, which the page opens with."""
        super().__init__(card_text(card), elem_id="model-card-text")
        self._context, self._name = context, name

    def translated_props(self) -> dict[str, Any]:
        """The initial content, in the language of the request."""
        return {"value": card_text(opening(self._context, self._name).card)}


def card_text(card: CheckpointCard | str | None) -> str:
    """The Markdown of a card: the project's, never a visitor's."""
    return card.body if isinstance(card, CheckpointCard) else ""
