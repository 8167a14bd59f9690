"""The Decode tab: type a text or draw a picture, choose a strategy, look at all that the search did."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import gradio as gr

from demo.captions.length import length_note
from demo.controls.checkpoint import CheckpointPicker, build_checkpoint_picker, card_text
from demo.controls.chip import opened_by
from demo.controls.linked import unless_linked
from demo.controls.picture import become_source
from demo.controls.source import (
    SourceLine,
    build_source_line,
    example_updates,
    opening,
    readable,
    tokens_of,
)
from demo.controls.strategy import StrategyCard, build_strategy_card
from demo.controls.strategy_chip import RAIL, StrategyChip, wire_strategy_chip
from demo.controls.teaching import build_teach_card, wire_teaching
from demo.controls.variant import on_variant, on_variants
from demo.errors import guarded, safe_text, sentence
from demo.i18n import in_page
from demo.operator.allowed import allowed
from demo.requests.checks import check_example, is_picture
from demo.requests.decode import RequestError, check_name, check_text, decode_request
from demo.requests.edit import WhatIf
from demo.server.gradio_compat import event_data
from demo.server.queues import decoding
from demo.server.rates import wait_message
from demo.service.context import AppContext
from demo.service.decoding.running import Running, decode_in_steps
from demo.service.decoding.turns import LineFullError
from demo.views.chip.component import Chip
from demo.views.results.component import ResultsMenu
from demo.views.share.component import ShareBar
from demo.views.trace.component import TraceView
from models.decoding.trace import DecodingTrace
from models.registry.card import CheckpointCard
from models.tokenization.tokenizer import Encoding

# Answers in milliseconds, so it waits in no queue; values are checked by the handler, which Gradio's own
# checks would only keep from giving its reasons.
QUICK: dict[str, Any] = {"preprocess": False, "queue": False, "show_progress": "hidden"}
PRIVATE: dict[str, Any] = {**QUICK, "api_visibility": "private"}
# "multiple": what is asked for during a run takes its place, and a link's next edit waits for no answer.
DECODING = decoding(
    preprocess=False, show_progress="hidden", trigger_mode="multiple", api_visibility="private"
)
# What page.js is told of a run; a failed one leaves no progress behind.
BEGUN, ENDED = "() => unrolled.run(true)", "() => unrolled.run(false)"
FAILED = "() => { unrolled.run(false, true); return ''; }"
NEXT_SEED = "(seed) => ((Number(seed) || 0) + 1) % COUNT"  # of seeds


def on_example_trace(context: AppContext, name: object) -> DecodingTrace | None:
    """The stored example of a checkpoint, nothing if it cannot be read."""
    check_name(name)
    trace = readable(context.registry.example, str(name))
    return None if isinstance(trace, str) else trace


def on_card(context: AppContext, name: object) -> tuple[CheckpointCard | str, str]:
    """What there is to know of a checkpoint: its facts and the text of its card."""
    check_name(name)
    card = opening(context, str(name)).card
    return card or "", card_text(card)


@dataclass(frozen=True)
class DecodeTab:
    """The widgets that other tabs or a link may fill in."""

    checkpoint: gr.Dropdown
    source: SourceLine
    strategy: StrategyCard
    trace: TraceView
    results: ResultsMenu
    linked: gr.State  # the checkpoint that a link has just chosen with all that belongs to it


def on_checkpoint(context: AppContext, name: object, text: object = "") -> tuple[Any, ...]:
    """Everything but the card that belongs to a checkpoint: source, tokens, trace, length, examples.

    The text stays where only the variant was chosen anew.
    """
    trace = on_example_trace(context, name)
    shown = opening(context, str(name))
    source = shown.text, shown.picture, shown.tokens
    if check_name(name).variant and text and not is_picture(text):
        source = gr.skip(), shown.picture, on_tokenize(context, name, text)
    return *source, trace, shown.max_length, *example_updates(shown.examples)


def on_tokenize(context: AppContext, name: object, text: object) -> Encoding | str | None:
    """The tokens of a text while it is typed; a sentence where it cannot be read."""
    check_name(name)
    try:
        check_text(text)
    except RequestError as error:
        return sentence(error)
    return tokens_of(context.tokenizer(str(name)), str(text)) if str(text).strip() else None


def on_example(context: AppContext, index: int, name: object) -> str:
    """One of the checkpoint's examples as the source text."""
    check_name(name)
    examples = context.registry.config(str(name)).examples
    check_example(index, len(examples))
    return examples[index]


def on_run(
    context: AppContext, running: Running, session: str, *values: object
) -> Iterator[tuple[object, object]]:
    """Decode what the widgets say: progress while it takes long, then the trace.

    If the visitor has asked for something else meanwhile, nothing: that will answer.
    """
    if message := wait_message():
        yield gr.skip(), message
        return
    request = decode_request(*values)
    watch = running.begin(session)
    try:
        with closing(decode_in_steps(context, request, watch)) as answers:
            for answer in answers:
                if watch.superseded:
                    yield gr.skip(), gr.skip()
                elif isinstance(answer, str):
                    yield gr.skip(), answer
                else:
                    usual = context.config(answer.checkpoint).usual_length
                    yield answer, safe_text(length_note(len(answer.source), usual))
    except RequestError as error:
        if not (watch.cancelled.is_set() or isinstance(error, LineFullError)):
            raise
        # Stopped before anything was found, or not begun: said where the progress is, and no failure.
        yield gr.skip(), gr.skip() if watch.superseded else safe_text(sentence(error))
    finally:
        running.end(session, watch)


def on_stop(running: Running, session: str) -> None:
    """End the visitor's decoding with what it has found so far."""
    running.stop(session)


def on_edit(context: AppContext, data: object) -> DecodingTrace:
    """Decode the text on show anew, with what the reader imposes on it."""
    what_if = WhatIf.of(data)
    tokenizer = context.tokenizer(what_if.checkpoint)
    return context.decode(what_if.request(tokenizer))


def build_decode_tab(context: AppContext, visitor: gr.BrowserState) -> DecodeTab:
    """Widgets first, wiring last."""
    chosen = context.default_checkpoint
    shown = opening(context, chosen)
    with gr.Tab("Decode", id="decode"):
        with gr.Column(elem_id="command-area"):
            with gr.Row(elem_id="command"):
                picker = build_checkpoint_picker(context, chosen, shown.card)
                chip = StrategyChip()
                source = build_source_line(shown, chip)
                with opened_by(Chip(called=in_page("Results"), render=False), "results-chip"):
                    results = ResultsMenu(elem_id="results")
                with opened_by(Chip(called=in_page("Share"), render=False), "share-chip"):
                    share = ShareBar("decode")
            source.progress.render()  # type: ignore[no-untyped-call]
        gr.HTML("<h2>Result</h2>", elem_classes="for-screen-readers")
        with gr.Row(elem_id="workspace"):
            with gr.Column(elem_id=RAIL, min_width=0, scale=0):
                source.picture.render()  # type: ignore[no-untyped-call]
                strategy = build_strategy_card(shown.max_length)
            trace = TraceView(label="Decoding", elem_id="trace", editable=True)
        teaching = build_teach_card() if context.training is not None else None
        tab = DecodeTab(picker.name, source, strategy, trace, results, gr.State())
    wire_strategy_chip(chip, strategy.controls)
    share.wire({"checkpoint": picker.name, "text": source.text, **strategy.controls.widgets})
    _wire_checkpoint(context, picker, tab, visitor)
    _wire_decoding(context, picker, source, strategy, trace)
    wire_edits(context, trace)
    if teaching is not None:
        wire_teaching(context, visitor, teaching, picker.name, source.text)
    return tab


def _wire_checkpoint(
    context: AppContext, picker: CheckpointPicker, tab: DecodeTab, visitor: gr.BrowserState
) -> None:
    # `change`, since `input` also comes when the focus merely passes through a picker or, for a text, never
    # comes for pasting, deleting and phones' keyboards.
    facts = [picker.summary, picker.body]
    picker.name.change(guarded(on_card, context), picker.name, facts, **PRIVATE)
    variant = picker.variant.in_order()
    picker.name.change(guarded(on_variants, context), picker.name, variant, **PRIVATE)
    for widget in picker.variant.in_order():
        widget.input(guarded(on_variant, context), [picker.name, *variant, visitor], picker.name, **PRIVATE)
    source = tab.source
    own = [source.text, source.picture, source.tokens]
    belongings = [*own, tab.trace, tab.strategy.controls["max_length"], *source.examples]
    handler = unless_linked(guarded(on_checkpoint, context), len(belongings))
    chosen = [picker.name, tab.linked, source.text]
    picker.name.change(handler, chosen, [*belongings, tab.linked], **PRIVATE)
    source.text.change(
        guarded(on_tokenize, context),
        [picker.name, source.text],
        source.tokens,
        trigger_mode="always_last",  # while one is under way, only the latest text waits
        **PRIVATE,
    )


def _wire_decoding(
    context: AppContext,
    picker: CheckpointPicker,
    source: SourceLine,
    strategy: StrategyCard,
    trace: TraceView,
) -> None:
    running = Running()
    run_guarded, stop_guarded = guarded(on_run, context, running), guarded(on_stop, running)

    # Functions of their own: Gradio finds the request by its annotation.
    def run_for(request: gr.Request, *values: object) -> Iterator[tuple[object, object]]:
        yield from run_guarded(str(request.session_hash), *values)

    run_for.wait_message = True  # type: ignore[attr-defined]

    def stop_for(request: gr.Request) -> None:
        stop_guarded(str(request.session_hash))

    inputs = [picker.name, source.text, *strategy.controls.in_order()]

    def run(on: Callable[..., gr.events.Dependency]) -> None:
        ended = on(run_for, inputs, [trace, source.progress], **DECODING)
        ended.success(js=ENDED)
        ended.failure(js=FAILED, outputs=source.progress)

    source.run.click(js=BEGUN)
    run(source.run.click)
    source.stop.click(stop_for, None, None, queue=False, show_progress="hidden", api_visibility="private")
    for index, example in enumerate(source.examples):
        example.click(js=BEGUN)
        filled = example.click(guarded(on_example, context, index), picker.name, source.text, **PRIVATE)
        filled.failure(js=ENDED)
        run(filled.success)
    source.picture.chosen(js=BEGUN)
    run(become_source(source.picture, source.text).success)
    strategy.resample.click(js=BEGUN)
    seed, count = strategy.controls["seed"], int(allowed()["seed"].high or 0) + 1
    run(strategy.resample.click(None, seed, seed, js=NEXT_SEED.replace("COUNT", str(count))).success)


def wire_edits(context: AppContext, trace: TraceView) -> None:
    """Answer the edits of a view with their traces."""
    handler = guarded(on_edit, context)

    # A function of its own: Gradio finds the event by the annotation.
    def edited(event: gr.EventData) -> DecodingTrace:
        trace_of_edit: DecodingTrace = handler(event_data(event))
        return trace_of_edit

    trace.edit(edited, None, trace, **DECODING).failure(js=trace.end_edit)
