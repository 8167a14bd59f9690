"""A link to the Compare tab: the form filled in, and compared at once."""

from __future__ import annotations

from typing import Any

import gradio as gr

from demo.compare.form import Form, comparison_examples_of, example_updates
from demo.compare.handlers import max_length
from demo.compare.work.examples import ComparisonExample
from demo.links import MODES, Link, choice
from demo.links.link import known_checkpoint, reference_text, source_text
from demo.links.wiring import LinkAnswer, LinkTarget
from demo.widgets.form.choices import own_checkpoints, picker_updates
from demo.widgets.picture_input.component import picture_choice
from demo.work.context import AppContext
from models.decoding.options import DecodingOptions
from models.registry.card import CheckpointError
from models.registry.name import CheckpointName

UNCHANGED = gr.skip()


def compare_target(context: AppContext, form: Form) -> LinkTarget:
    """The widgets of the form, and the values that a link has for each."""
    outputs = [
        *(form.mode, form.checkpoint, form.other_checkpoint),
        *(form.text, form.other_text, form.reference, form.picture, form.other_picture),
        *(form.strategies, form.strategy),
        *form.examples,
        form.form_checkpoint,
    ]

    def answer(link: Link) -> LinkAnswer:
        if not link.values:  # the tab compares an example by itself
            return LinkAnswer([UNCHANGED] * len(outputs))
        view = link.take_view(table=True)
        name = known_checkpoint(context, link, "checkpoint", eight_bit=True) or context.default_checkpoint
        mode = link.take("mode", choice(*MODES)) or "strategies"
        values = [mode, *_both_checkpoints(context, link, name), *_sources(context, link, name)]
        values += [*_strategies(context, link, name), *example_updates(comparison_examples_of(context, name))]
        return LinkAnswer([*values, name], run=name is not None, view=view, mode=mode)

    return LinkTarget("compare", outputs, answer, form.checkpoint)


def _both_checkpoints(context: AppContext, link: Link, name: str | None) -> list[Any]:
    """Both checkpoints."""
    other = known_checkpoint(context, link, "other_checkpoint", eight_bit=True)
    choices: dict[str, Any] = {}
    # A variant is in no list before it is chosen.
    if any(CheckpointName.of(value or "").variant for value in (name, other)):
        _, choices, _ = picker_updates(context, own_checkpoints(context, None), ("", name, other), 3)
    updates = [{} if value is None else gr.update(value=value) for value in (name, other)]
    return [{**update, **choices} or UNCHANGED for update in updates]


def _sources(context: AppContext, link: Link, name: str | None) -> list[Any]:
    """Text, second text, reference and both pictures: the example's, unless the link has others."""
    example = next(iter(comparison_examples_of(context, name)), ComparisonExample("", "", ""))
    text, other = (source_text(context, link, part, name) for part in ("text", "other_text"))
    reference = reference_text(link)
    if text is not None:
        example = ComparisonExample(text, "", example.other)
    text, other = example.text, example.other if other is None else other
    texts = [text, other, example.reference if reference is None else reference]
    try:
        config = context.config(name) if name else None
    except CheckpointError:
        config = None
    if config is None or not config.reads_pictures:
        return [*texts, None, None]
    return [*texts, picture_choice(config, text), picture_choice(config, other)]


def _strategies(context: AppContext, link: Link, name: str | None) -> list[Any]:
    """The values of both pickers: the list of a comparison, and the one strategy of a pair."""
    longest = max_length(context, name) if name else 60
    several, one = link.take_strategies(longest), link.take_settings(longest)
    strategy = [{"strategy": DecodingOptions.strategy, **one}] if one else UNCHANGED
    return [UNCHANGED if several is None else several, strategy]
