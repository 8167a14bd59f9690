"""The Compare tab: one text by many strategies, by two checkpoints, or two texts of a minimal pair."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import gradio as gr
from gradio.components import Component

from demo.compare import handlers
from demo.compare.form import Form, build_form
from demo.compare.view.component import CompareView
from demo.compare.work.from_request import latest_only
from demo.inspect.server_functions import inspection_functions
from demo.server.events import PRIVATE, RAW_DECODING, RAW_QUICK, fill_in
from demo.server.gradio_compat import event_data
from demo.trace.component import TraceView
from demo.widgets.form.choices import fill_once
from demo.widgets.form.variant import on_compared_variant, on_variants
from demo.widgets.picture_input.component import become_source
from demo.work.context import AppContext
from demo.work.errors import guard
from demo.work.running import RunningDecodings

SWAP_TEXTS = """(one, other, left, right) => [other, one, left && {...left, picture: other, caption: ""},
  right && {...right, picture: one, caption: ""}]"""


def build_compare_tab(context: AppContext, visitor: gr.BrowserState) -> Form:
    """Build the widgets, then connect them; returns those that other tabs may fill in."""
    with gr.Tab("Compare", id="compare"):
        form = build_form(context)
        gr.HTML("<h2>Comparison</h2>", elem_classes="for-screen-readers")
        view = CompareView(elem_id="comparison", label_of=context.label)
        trace = TraceView(
            label="The opened decoding",
            elem_id="compare-trace",
            label_of=context.label,
            server_functions=inspection_functions(context),
        )
        _wire_form(context, form, view)
        _wire_variants(context, form, visitor)
        _wire_carrying(context, form, view)
    form.share.wire(form.linkable())
    _wire_runs(context, form, view, trace)
    return form


def _wire_form(context: AppContext, form: Form, view: CompareView) -> None:
    texts = [form.text, form.reference, form.other_text]
    belongings = [*texts, form.picture, form.other_picture, *form.examples]
    handler = fill_once(guard(handlers.on_checkpoint, context), [gr.skip()] * len(belongings))
    inputs = [form.checkpoint, form.form_checkpoint, form.text]
    outputs = [form.form_checkpoint, *belongings]
    filled = [fill_in(form.checkpoint.change, handler, inputs, outputs, must_be_unchanged=form.checkpoint)]
    become_source(form.picture, form.text, form.reference)
    become_source(form.other_picture, form.other_text)
    on_click = guard(handlers.on_example, context)

    def example_texts(event: gr.EventData, name: object) -> Any:
        clicked = (index for index, example in enumerate(form.examples) if example is event.target)
        return on_click(next(clicked, -1), name)  # a call by hand may have another target, which is refused

    clicked = partial(gr.on, [example.click for example in form.examples])
    filled.append(
        fill_in(clicked, example_texts, [form.checkpoint], texts, must_be_unchanged=form.checkpoint)
    )
    for event in filled:
        event.done.success(
            None, [form.text, form.reference], None, js=view.script("filledIn", "text, reference"), **PRIVATE
        )
    checkpoints: list[Component] = [form.checkpoint, form.other_checkpoint]
    swapped = [*checkpoints, *form.examples, form.form_checkpoint]
    sources: list[Component] = [form.text, form.other_text, form.picture, form.other_picture]
    fill_in(form.swaps[0].click, guard(handlers.on_swap, context), checkpoints, swapped)
    form.swaps[1].click(None, sources, sources, js=SWAP_TEXTS)


def _wire_variants(context: AppContext, form: Form, visitor: gr.BrowserState) -> None:
    pickers = form.checkpoint, form.other_checkpoint
    on_name, on_choice = guard(on_variants, context), guard(on_compared_variant, context)
    for name, other, row in zip(pickers, reversed(pickers), form.variants, strict=True):
        variant = row.in_order()
        name.change(on_name, name, variant, **RAW_QUICK)
        choice = partial(gr.on, [widget.input for widget in variant])
        inputs = [name, *variant, other, visitor]
        fill_in(choice, on_choice, inputs, [name, other], trigger_mode="multiple")


def _wire_carrying(context: AppContext, form: Form, view: CompareView) -> None:
    """Fill in the form, then compare, even if filling failed, so that the tab shows something."""
    handler = guard(handlers.on_carry, context)
    texts: list[Component] = [form.text, form.reference, form.other_text]
    compared: list[Component] = [form.mode, form.checkpoint, form.other_checkpoint]
    filled = [*compared, *texts, form.picture, form.other_picture, *form.examples, form.form_checkpoint]

    def carry(event: gr.EventData) -> list[Any]:
        values: list[Any] = handler(event_data(event))
        return values

    under_way = fill_in(view.carry, carry, [], filled, must_be_unchanged=form.checkpoint)
    for ended in (under_way.done.success, under_way.answered.failure):
        ended(None, js="() => { unrolled.compareCarried(); }", api_visibility="private")


def _wire_runs(context: AppContext, form: Form, view: CompareView, trace: TraceView) -> None:
    strategies = [form.checkpoint, form.text, form.reference, form.strategies]
    pairs = (
        (handlers.on_compare_checkpoints, [form.checkpoint, form.other_checkpoint, form.text, form.strategy]),
        (handlers.on_compare_texts, [form.checkpoint, form.text, form.other_text, form.strategy]),
    )
    running = RunningDecodings()

    def in_place(handler: Callable[..., Any]) -> Callable[..., Any]:
        steps = guard(handler, context)

        def compare_for(request: gr.Request, *values: object) -> Iterator[object]:
            yield from latest_only(running, str(request.session_hash), steps(*values), gr.skip())

        return compare_for

    compare = in_place(handlers.on_compare)
    pair: list[Component] = [form.text, form.reference]
    checked = form.runs[0].click(
        None, pair, pair, js=view.script("pairToCompare", "text, reference"), **PRIVATE
    )
    view.keep(None, None, form.reference, js=view.script("aside"), **PRIVATE)
    under_way = [
        checked.success(compare, strategies, view, api_name="compare", **RAW_DECODING),
        view.shown(compare, strategies, view, **RAW_DECODING),
    ]
    wider = [form.mode, form.checkpoint, form.form_checkpoint, form.text, form.reference, form.strategies]
    widened = view.widen(None, None, wider, js=view.script("wideArguments"), **PRIVATE)
    under_way.append(widened.success(compare, strategies, view, **RAW_DECODING))
    for run, (handler, inputs) in zip(form.runs[1:], pairs, strict=True):
        name = handler.__name__.removeprefix("on_")
        under_way.append(run.click(in_place(handler), inputs, view, api_name=name, **RAW_DECODING))
    form.stop.click(None, js=view.script("stop"), cancels=under_way)
    opening_row = view.open(guard(handlers.on_open, context), view, trace, js=view.opened, **RAW_DECODING)
    opening_row.success(js=view.script("revealOpened"))
