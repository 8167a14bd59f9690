"""The Decode tab: type a text or draw a picture, choose a strategy, and follow the whole search."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import gradio as gr

from demo.decode.controls.checkpoint import (
    CheckpointPicker,
    build_checkpoint_picker,
    card_text,
    on_neighbour,
    on_neighbours,
)
from demo.decode.controls.source import build_source_line, opening, readable, tokens_of
from demo.decode.controls.strategy import RAIL, build_strategy_card, strategy_chip, wire_strategy_chip
from demo.decode.controls.teaching import build_correction_card
from demo.decode.earlier_results.component import ResultsMenu
from demo.decode.filling import WORD_LISTS, DecodeTab, chosen_outputs, on_checkpoint, unchanged_outputs
from demo.decode.server_functions import server_functions
from demo.i18n import in_page
from demo.inspect.server_functions import inspection_functions
from demo.server.events import QUICK, RAW_QUICK, fill_in
from demo.trace.component import TraceView
from demo.widgets.chip.component import Chip, chip_panel, share_chip
from demo.widgets.form.choices import fill_once, form_checkpoint
from demo.widgets.form.variant import on_variant, on_variants
from demo.widgets.picture_input.component import become_source
from demo.work.context import AppContext
from demo.work.errors import guard, sentence
from demo.work.operator.caps import allowed_settings
from demo.work.requests.checks import RequestError, check_name, check_text
from demo.work.running import RunningDecodings
from models.decoding.trace import DecodingTrace
from models.registry.card import CheckpointCard, CheckpointError
from models.registry.name import UnknownCheckpointError
from models.tokenization.tokenizer import Encoding

# A phone has room for the chips after it on request only; see folds.js.
MORE_TOOLS = '<button type="button" class="tools-open" aria-label="More" aria-expanded="false">⋯</button>'
ON_CHOICE = "(name) => { unrolled.choose(name); }"
ON_BEGIN = "() => unrolled.run(true)"
DECODE = "(...values) => { unrolled.decode(values); }"
EXAMPLE_TEXT = "(text) => text"  # a button names the whole text
NEXT_SEED = "(seed) => ((Number(seed) || 0) + 1) % COUNT"  # COUNT: the number of seeds


def on_example_trace(context: AppContext, name: object) -> DecodingTrace | None:
    """The stored example of a checkpoint, nothing if it cannot be read."""
    check_name(name)
    trace = readable(context.registry.example, str(name))
    return None if isinstance(trace, str) else trace


def on_card(context: AppContext, name: object) -> tuple[CheckpointCard | str, str]:
    """Facts about a checkpoint, and the text of its card."""
    check_name(name)
    card = opening(context, str(name)).card
    return card or "", card_text(card)


def on_tokenize(context: AppContext, name: object, text: object) -> Encoding | str | None:
    """The tokens of a text while it is typed; a sentence if it cannot be read."""
    check_name(name)
    try:
        check_text(text)
        return tokens_of(context.tokenizer(str(name)), str(text)) if str(text).strip() else None
    except (RequestError, UnknownCheckpointError, CheckpointError) as error:  # it may have been removed
        return sentence(error)


def build_decode_tab(context: AppContext, visitor: gr.BrowserState) -> DecodeTab:
    """Build the widgets, then connect them."""
    default_name = context.default_checkpoint
    content = opening(context, default_name)
    running = RunningDecodings()
    with gr.Tab("Decode", id="decode"):
        with gr.Column(elem_id="command-area"):
            with gr.Row(elem_id="command"):
                picker = build_checkpoint_picker(context, default_name, content.card)
                chip = strategy_chip()
                source = build_source_line(content, chip)
                gr.HTML(MORE_TOOLS, elem_id="more-tools", apply_default_css=False)
                with chip_panel(Chip(called=in_page("Results"), render=False), "results-chip"):
                    results = ResultsMenu(elem_id="results")
                with share_chip("decode", "share-chip", files="#trace .tv-files:has(.tv-download)") as share:
                    if context.training is not None:
                        build_correction_card(context, visitor, picker.name, source.text)
            source.progress.render()  # type: ignore[no-untyped-call]
        gr.HTML("<h2>Result</h2>", elem_classes="for-screen-readers")
        with gr.Row(elem_id="workspace"):
            with gr.Column(elem_id=RAIL, min_width=0, scale=0):
                source.picture.render()  # type: ignore[no-untyped-call]
                strategy = build_strategy_card(content.max_length)
            trace = TraceView(
                label="Decoding",
                elem_id="trace",
                editable=True,
                label_of=context.label,
                server_functions=[*server_functions(context, running), *inspection_functions(context)],
            )
        tab = DecodeTab(picker.name, source, strategy, trace, results, form_checkpoint(default_name))
        _wire_checkpoint(context, picker, tab, visitor)
    wire_strategy_chip(chip, [*strategy.controls.values()])
    share.wire({"checkpoint": picker.name, "text": source.text, **strategy.controls})
    _wire_run(tab, running)
    return tab


def _wire_run(tab: DecodeTab, running: RunningDecodings) -> None:
    """Connect buttons, examples, picture and seed with the page's script, which asks for a run's states."""
    source, controls = tab.source, tab.strategy.controls
    inputs = [tab.checkpoint, source.text, *controls.values()]  # read by `decode_request`
    end_decoding = guard(running.stop)

    def stop(request: gr.Request) -> None:
        end_decoding(str(request.session_hash))

    def run(on: Callable[..., gr.events.Dependency]) -> None:
        on(None, inputs, None, js=DECODE, api_visibility="private")

    source.run.click(js=ON_BEGIN)
    run(source.run.click)
    source.stop.click(stop, None, None, **QUICK)
    for example in source.examples:
        example.click(js=ON_BEGIN)
        run(example.click(None, example, source.text, js=EXAMPLE_TEXT, api_visibility="private").success)
    source.picture.chosen(js=ON_BEGIN)
    run(become_source(source.picture, source.text).success)
    resample, seed = tab.strategy.resample, controls["seed"]
    next_seed = NEXT_SEED.replace("COUNT", str(int(allowed_settings()["seed"].high or 0) + 1))
    resample.click(js=ON_BEGIN)
    run(resample.click(None, seed, seed, js=next_seed).success)


def _wire_checkpoint(
    context: AppContext, picker: CheckpointPicker, tab: DecodeTab, visitor: gr.BrowserState
) -> None:
    # Listen to `change`, not `input`: a picker sends `input` even when the focus only passes through it, and
    # a text box sends none for pasting, deleting and phones' keyboards.
    picker.name.change(None, picker.name, None, js=ON_CHOICE, api_visibility="private")
    facts = [picker.summary, picker.body]
    picker.name.change(guard(on_card, context), picker.name, facts, **RAW_QUICK)
    variant = picker.variant.in_order()
    picker.name.change(guard(on_variants, context), picker.name, variant, **RAW_QUICK)
    buttons = list(picker.neighbours)
    picker.name.change(guard(on_neighbours, context), [picker.name, visitor], buttons, **RAW_QUICK)
    for index, button in enumerate(buttons):
        neighbour = guard(on_neighbour, context, index)
        fill_in(button.click, neighbour, [picker.name, visitor], [picker.name])
    choice = partial(gr.on, [widget.input for widget in variant])
    inputs = [picker.name, *variant, visitor]
    fill_in(choice, guard(on_variant, context), inputs, [picker.name], trigger_mode="multiple")
    source = tab.source
    handler = fill_once(guard(on_checkpoint, context), unchanged_outputs(tab))
    settings = [tab.strategy.controls[setting] for setting in ("max_length", *WORD_LISTS)]
    inputs = [picker.name, tab.form_checkpoint, source.text, *settings]
    outputs = [tab.form_checkpoint, *chosen_outputs(tab)]
    filled = fill_in(
        picker.name.change, handler, inputs, outputs, must_be_unchanged=picker.name, messages=[tab.results]
    )
    filled.done.success(None, tab.results, None, js=tab.results.checkpoint_filled, api_visibility="private")
    source.text.change(
        guard(on_tokenize, context),
        [picker.name, source.text],
        source.tokens,
        trigger_mode="always_last",  # while one call is under way, only the latest text waits
        **RAW_QUICK,
    )
