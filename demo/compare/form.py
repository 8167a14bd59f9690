"""The widgets of the Compare tab above its result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr
from gradio.components import Component

from demo.compare.work.examples import MAX_EXAMPLES, ComparisonExample, comparison_examples
from demo.widgets.chip.component import share_chip
from demo.widgets.form.choices import (
    checkpoint_list,
    form_checkpoint,
    own_checkpoints,
    readable_config,
    with_rounded,
)
from demo.widgets.form.variant import VariantRow, build_variants
from demo.widgets.picture_input.component import PictureChoice, PictureInput, picture_choice
from demo.widgets.share.component import ShareBar
from demo.widgets.strategy_picker.component import StrategyPicker
from demo.work.context import AppContext
from demo.work.operator.caps import MAX_CHARACTERS
from demo.work.requests.checks import is_picture
from models.errors import Message
from models.registry.card import CheckpointError

MODES = [("Strategies", "strategies"), ("Two checkpoints", "checkpoints"), ("Minimal pair", "inputs")]


@dataclass(frozen=True)
class Form:
    """The widgets above the result."""

    mode: gr.Radio
    checkpoint: gr.Dropdown
    other_checkpoint: gr.Dropdown
    text: gr.Textbox
    other_text: gr.Textbox
    reference: gr.Textbox
    picture: PictureInput  # instead of the texts, where the checkpoint reads pictures
    other_picture: PictureInput
    strategies: StrategyPicker
    strategy: StrategyPicker
    examples: tuple[gr.Button, ...]
    runs: tuple[gr.Button, gr.Button, gr.Button]  # buttons in the order of MODES
    swaps: tuple[gr.Button, gr.Button]  # checkpoints, texts
    stop: gr.Button
    share: ShareBar
    variants: tuple[VariantRow, VariantRow]  # the variants of both checkpoints
    form_checkpoint: gr.Textbox

    def linkable(self) -> dict[str, Component]:
        """The parameters of a link to this form by their names; `strategy` is a list of one."""
        names = ("mode", "checkpoint", "other_checkpoint", "text", "other_text", "reference", "strategies")
        return {name: getattr(self, name) for name in (*names, "strategy")}


def comparison_examples_of(context: AppContext, name: str | None) -> tuple[ComparisonExample, ...]:
    """The examples of a checkpoint, none if it cannot be read. Raises UnknownCheckpointError."""
    try:
        return comparison_examples(context.config(name)) if name else ()
    except CheckpointError:
        return ()


def offered_pictures(
    context: AppContext, name: str | None, example: ComparisonExample
) -> tuple[PictureChoice | None, PictureChoice | None]:
    """Both pictures of an example; None if the checkpoint reads texts, or cannot be read."""
    config = readable_config(context, name)
    if config is None:
        return None, None
    return picture_choice(config, example.text), picture_choice(config, example.other)


def build_form(context: AppContext) -> Form:
    """Build the card; the style sheet shows only what applies to the chosen mode (classes `in-*`)."""
    default_name = context.default_checkpoint
    other = _comparable(context, default_name) if default_name else default_name
    examples = comparison_examples_of(context, default_name)
    first = examples[0] if examples else ComparisonExample("", "", "")
    with gr.Column(elem_classes="card compare-form", elem_id="compare-card"):
        mode = gr.Radio(
            MODES,
            value="strategies",
            label="What to compare",
            elem_id="compare-mode",
            interactive=True,
            elem_classes=["segmented"],
        )
        runs, swaps, stop, share = _build_buttons()  # few keys from the tab; the style sheet places them
        with gr.Column(elem_classes="compare-fields"):
            checkpoint, variant = _checkpoint(context, default_name, "Checkpoint", "compare-")
            label, classes = "Second checkpoint", ["in-checkpoints"]
            other_checkpoint, other_variant = _checkpoint(context, other, label, "compare-other-", classes)
            text = _text(first.text, "Source text", "compare-text")
            reference = _text(first.reference, "Reference (optional)", "compare-reference", "in-strategies")
            other_text = _text(first.other, "Second source text", "compare-other-text", "in-inputs")
        pictures = _build_pictures(*offered_pictures(context, default_name, first))
        with gr.Row(elem_classes=["examples", "notranslate"], elem_id="compare-examples"):
            buttons = tuple(
                gr.Button(**properties, size="sm", min_width=0, elem_classes="example")
                for properties in _example_properties(examples)
            )
        strategies = StrategyPicker(elem_id="compare-strategies", elem_classes="in-strategies")
        strategy = StrategyPicker(
            many=False, label="Strategy", elem_id="compare-strategy", elem_classes="in-pairs"
        )
    return Form(
        mode,
        checkpoint,
        other_checkpoint,
        text,
        other_text,
        reference,
        *pictures,
        strategies,
        strategy,
        buttons,
        runs,
        swaps,
        stop,
        share,
        (variant, other_variant),
        form_checkpoint(default_name),
    )


def _build_buttons() -> tuple[
    tuple[gr.Button, gr.Button, gr.Button], tuple[gr.Button, gr.Button], gr.Button, ShareBar
]:
    """The buttons that run each mode, swap both sides, stop, and copy a link."""
    with gr.Row(elem_classes="compare-buttons"):
        runs = tuple(
            gr.Button("Compare", variant="primary", elem_id=f"compare-run-{mode}", elem_classes=f"in-{mode}")
            for _, mode in MODES
        )
        swaps = tuple(
            gr.Button("Swap", elem_id=f"compare-swap-{mode}", elem_classes=f"in-{mode}")
            for _, mode in MODES[1:]
        )
        stop = gr.Button("Stop", elem_id="compare-stop")
        with share_chip("compare", "share-chip-compare") as share:
            pass
        return runs, swaps, stop, share  # type: ignore[return-value]


def _comparable(context: AppContext, checkpoint: str) -> str:
    """Another checkpoint, preferably one that was trained for the same task in the same languages."""

    def kind(name: str) -> tuple[str, str, str] | None:
        config = readable_config(context, name)
        return (config.task, config.source_language, config.target_language) if config else None

    others = [name for name in context.registry.names() if name != checkpoint]
    alike = [name for name in others if kind(name) == kind(checkpoint)]
    return next(iter(alike or others), checkpoint)


def _build_pictures(
    picture: PictureChoice | None, other: PictureChoice | None
) -> tuple[PictureInput, PictureInput]:
    with gr.Row(elem_classes="compare-pictures"):
        return (
            PictureInput(picture, label="Picture", elem_id="compare-picture"),
            PictureInput(
                other, label="Second picture", elem_id="compare-other-picture", elem_classes="in-inputs"
            ),
        )


def _checkpoint(
    context: AppContext, current: str | None, label: str, prefix: str, classes: Sequence[str] = ()
) -> tuple[gr.Dropdown, VariantRow]:
    """The list, and under it the variants of a checkpoint."""
    picker = checkpoint_list(
        lambda: with_rounded(context, own_checkpoints(context, None)),
        value=current,
        label=label,
        filterable=False,
        elem_id=f"{prefix}checkpoint",
        elem_classes=list(classes),
        min_width=200,
    )
    variant = f"{prefix}variant"
    return picker, build_variants(context, current, variant, [variant, *classes])


def _text(value: str, label: str, elem_id: str, classes: str = "") -> gr.Textbox:
    return gr.Textbox(
        value=value,
        label=label,
        placeholder=Message("reference_limit", "At most {limit} characters", limit=MAX_CHARACTERS),
        lines=1,
        max_lines=4,
        elem_id=elem_id,
        elem_classes=classes.split(),
        html_attributes=gr.InputHTMLAttributes(spellcheck=False, autocorrect="off", autocapitalize="off"),
        min_width=200,
    )


def _example_properties(examples: tuple[ComparisonExample, ...]) -> list[dict[str, Any]]:
    padded = [example.text for example in examples[:MAX_EXAMPLES] if not is_picture(example.text)]
    padded += [""] * (MAX_EXAMPLES - len(padded))
    return [{"value": text, "visible": bool(text)} for text in padded]


def example_updates(examples: tuple[ComparisonExample, ...]) -> list[gr.Button]:
    """Updates for the row of example buttons."""
    return [gr.Button(**properties) for properties in _example_properties(examples)]
