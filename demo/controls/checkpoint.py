"""The checkpoint picker with its card."""

from __future__ import annotations

from dataclasses import dataclass

import gradio as gr

from demo.controls.variant import VariantRow, build_variant_row
from demo.service.context import AppContext
from demo.views.checkpoint_card.component import CheckpointSummary
from models.registry.card import CheckpointCard


@dataclass(frozen=True)
class CheckpointPicker:
    """The choice of a checkpoint, its facts and the text of its card."""

    name: gr.Dropdown
    summary: CheckpointSummary
    variant: VariantRow
    body: gr.Markdown


def build_checkpoint_picker(
    context: AppContext, chosen: str | None, card: CheckpointCard | str | None
) -> CheckpointPicker:
    """A card across the page; a sentence for `card` says why there is none."""
    with gr.Column(elem_classes="card", elem_id="checkpoint-card"):
        with gr.Row(elem_classes="picker-row"):
            name = gr.Dropdown(
                choices=list(context.registry.names()),
                value=chosen,
                label="Checkpoint",
                info="A trained network and its vocabulary.",
                filterable=False,
                elem_id="checkpoint",
                scale=1,
                min_width=210,
            )
            summary = CheckpointSummary(card, elem_id="checkpoint-summary", scale=4, min_width=280)
        variant = build_variant_row(context, chosen)
        with gr.Accordion("Model card", open=False, elem_id="model-card"):
            body = gr.Markdown(card_text(card), elem_id="model-card-text")
    return CheckpointPicker(name, summary, variant, body)


def card_text(card: CheckpointCard | str | None) -> str:
    """The Markdown of a card: ours, never a visitor's."""
    return card.body if isinstance(card, CheckpointCard) else ""
