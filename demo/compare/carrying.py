"""Carries the last decoded sentence to the form of the Compare tab, when the page's script asks for it."""

from __future__ import annotations

from typing import Any

import gradio as gr
from gradio.components import Component

from demo.compare.form import Form, comparison_examples_of, example_updates, offered_pictures
from demo.compare.view.component import CompareView
from demo.compare.work.examples import ComparisonExample
from demo.server.gradio_compat import event_data
from demo.server.late_answers import fill_in
from demo.widgets.form.choices import own_checkpoints, picker_updates
from demo.work.context import AppContext
from demo.work.errors import guard
from demo.work.requests.checks import check_name, check_result
from demo.work.requests.compare import Side


def on_carry(context: AppContext, data: object) -> list[Any]:
    """Mode, checkpoints, texts and pictures, the checkpoint's examples, and which checkpoint keeps them.

    Two checkpoints are compared where a second one is named; else it and the mode stay. A known sentence has
    its reference and its other half; another one has none. Raises RequestError, UnknownCheckpointError,
    CheckpointError.
    """
    result = check_result(data)
    side = Side(result.get("checkpoint", ""), result.get("text", ""))
    context.check_fits(side.checkpoint, side.text)
    picker = gr.update(value=side.checkpoint)
    if check_name(side.checkpoint).variant:  # a variant is in no list before it is chosen
        _, choices, _ = picker_updates(context, own_checkpoints(context, None), ("", side.checkpoint), 3)
        picker = {**choices, **picker}
    examples = comparison_examples_of(context, side.checkpoint)
    example_of_text = next((example for example in examples if example.text == side.text), None)
    example = example_of_text or ComparisonExample(side.text, "", "")
    mode: Any = gr.skip()
    other: Any = gr.skip()
    if result.get("other_checkpoint"):
        mode, other = "checkpoints", Side(result["other_checkpoint"], side.text).checkpoint
    return [
        *(mode, picker, other),
        *(example.text, example.reference, example_of_text.other if example_of_text else gr.skip()),
        *offered_pictures(context, side.checkpoint, example),
        *example_updates(examples),
        side.checkpoint,
    ]


def wire_carrying(context: AppContext, form: Form, view: CompareView) -> None:
    """Fill in the form, then compare, even if filling failed, so that the tab shows something."""
    handler = guard(on_carry, context)
    texts: list[Component] = [form.text, form.reference, form.other_text]
    compared: list[Component] = [form.mode, form.checkpoint, form.other_checkpoint]
    filled = [*compared, *texts, form.picture, form.other_picture, *form.examples, form.form_checkpoint]

    def carry(event: gr.EventData) -> list[Any]:
        values: list[Any] = handler(event_data(event))
        return values

    under_way = fill_in(view.carry, carry, [], filled, must_be_unchanged=form.checkpoint)
    for ended in (under_way.done.success, under_way.answered.failure):
        ended(None, js="() => { unrolled.compareCarried(); }", api_visibility="private")
