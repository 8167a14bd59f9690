"""Widgets that tabs share: the checkpoint picker with its card, and the strategy controls.

Bounds and choices are checked by `DecodeRequest`, not here: the API reaches handlers past any widget.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import gradio as gr
from gradio.components import Component

from demo.components.checkpoint_card import CheckpointSummary
from demo.limits import (
    MAX_BEAM_SIZE,
    MAX_OUTPUT_TOKENS,
    MAX_SAMPLES,
    MAX_SEED,
)
from demo.request import DecodeRequest
from models.registry.card import CheckpointCard

# What a person reads -> what a request says.
STRATEGIES = [("Greedy", "greedy"), ("Beam search", "beam"), ("Sampling", "sampling")]
NORMALIZERS = [("Power", "power"), ("GNMT", "gnmt"), ("None", "none")]
EARLY_STOPPING = [("At once", "true"), ("If unlikely to improve", "false"), ("If it cannot improve", "never")]


@dataclass(frozen=True)
class CheckpointPicker:
    """The choice of a checkpoint, its facts and the text of its card."""

    name: gr.Dropdown
    summary: CheckpointSummary
    body: gr.Markdown


@dataclass(frozen=True)
class StrategyControls:
    """One widget for each setting of a `DecodeRequest`, by the same names and in the same order."""

    strategy: gr.Radio
    beam_size: gr.Slider
    length_penalty: gr.Slider
    normalizer: gr.Radio
    early_stopping: gr.Radio
    num_samples: gr.Slider
    temperature: gr.Slider
    top_k: gr.Slider
    top_p: gr.Slider
    seed: gr.Number
    max_length: gr.Slider

    def in_order(self) -> list[Component]:
        """As the request takes them."""
        return [getattr(self, field.name) for field in fields(self)]


def build_checkpoint_picker(
    names: tuple[str, ...], chosen: str | None, card: CheckpointCard | str | None
) -> CheckpointPicker:
    """A card across the page; a sentence for `card` says why there is none."""
    with gr.Column(elem_classes="card", elem_id="checkpoint-card"):
        with gr.Row(elem_classes="picker-row"):
            name = gr.Dropdown(
                choices=list(names),
                value=chosen,
                label="Checkpoint",
                info="A trained network and its vocabulary.",
                filterable=False,
                elem_id="checkpoint",
                scale=1,
                min_width=210,
            )
            summary = CheckpointSummary(card, elem_id="checkpoint-summary", scale=4, min_width=280)
        with gr.Accordion("Model card", open=False, elem_id="model-card"):
            body = gr.Markdown(card_text(card), elem_id="model-card-text")
    return CheckpointPicker(name, summary, body)


def card_text(card: CheckpointCard | str | None) -> str:
    """The Markdown of a card: ours, never a visitor's."""
    return card.body if isinstance(card, CheckpointCard) else ""


def build_strategy_controls(max_length: int) -> StrategyControls:
    """A card; the style sheet shows only what applies to the chosen strategy (classes `only-*`)."""
    default = DecodeRequest(checkpoint="any", text="any")
    with gr.Column(elem_classes="card strategy", elem_id="strategy-card", scale=2, min_width=320):
        strategy = _segments("Strategy", "How the next token is chosen.", STRATEGIES, default.strategy)
        with gr.Column(elem_classes="settings"):
            beam_size = _slider(
                "Beam size",
                "Hypotheses kept per step.",
                (1, MAX_BEAM_SIZE, 1),
                default.beam_size,
                "only-beam",
            )
            num_samples = _slider(
                "Samples", "Independent draws.", (1, MAX_SAMPLES, 1), default.num_samples, "only-sampling"
            )
            most_tokens = _slider(
                "Maximum length", "Tokens, the end included.", (1, MAX_OUTPUT_TOKENS, 1), max_length
            )
            length_penalty = _slider(
                "Length penalty α", "Above 0 favours length.", (-2, 2, 0.1), 0.0, "only-beam needs-norm"
            )
            normalizer = _segments(
                "Length normaliser", "What α acts through.", NORMALIZERS, default.normalizer, "only-beam"
            )
            early_stopping = _segments(
                "Stop when the beam is full",
                "What it takes to end the search once enough outputs are finished.",
                EARLY_STOPPING,
                default.early_stopping,
                "only-beam wide",
            )
            temperature = _slider(
                "Temperature", "Higher is more random.", (0.1, 2, 0.05), 1.0, "only-sampling"
            )
            seed = gr.Number(
                value=default.seed,
                minimum=0,
                maximum=MAX_SEED,
                precision=0,
                label="Seed",
                info="The same seed, the same draws.",
                elem_classes="only-sampling",
                min_width=120,
            )
            top_k = _slider("Top-k", "The k likeliest; 0 for all.", (0, 100, 1), 0, "only-sampling")
            top_p = _slider("Top-p", "The likeliest share p.", (0.05, 1, 0.05), 1.0, "only-sampling")
    return StrategyControls(
        strategy,
        beam_size,
        length_penalty,
        normalizer,
        early_stopping,
        num_samples,
        temperature,
        top_k,
        top_p,
        seed,
        most_tokens,
    )


def _slider(
    label: str, info: str, scale: tuple[float, float, float], value: float, classes: str = ""
) -> gr.Slider:
    """`scale` is the least, the most and the step that the widget offers."""
    low, high, step = scale
    return gr.Slider(
        low,
        high,
        value=value,
        step=step,
        label=label,
        info=info,
        elem_classes=classes.split(),
        min_width=120,
        buttons=[],
    )


def _segments(
    label: str, info: str, choices: list[tuple[str, str]], value: str, classes: str = ""
) -> gr.Radio:
    return gr.Radio(
        choices,
        value=value,
        label=label,
        info=info,
        elem_classes=["segmented", *classes.split()],
        min_width=120,
    )
