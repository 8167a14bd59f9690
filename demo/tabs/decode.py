"""The Decode tab: type a text, choose a strategy, look at everything that the search did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import gradio as gr

from demo.components.source_tokens import SourceTokens
from demo.components.trace_view import TraceView
from demo.context import AppContext
from demo.controls import (
    CheckpointPicker,
    StrategyControls,
    build_checkpoint_picker,
    build_strategy_controls,
    card_text,
)
from demo.errors import guarded
from demo.limits import MAX_CHARACTERS, MAX_OUTPUT_TOKENS
from demo.request import DecodeRequest, RequestError, check_name, check_text
from models.decoding.trace import DecodingTrace
from models.registry.card import CheckpointCard, CheckpointError
from models.tokenization import Encoding

MAX_EXAMPLES = 6
DEFAULT_MAX_LENGTH = 60

# Answers in milliseconds, so it waits in no queue; values are checked by the handler, which Gradio's own
# checks would only keep from giving its reasons.
QUICK: dict[str, Any] = {"preprocess": False, "queue": False, "show_progress": "hidden"}
PRIVATE: dict[str, Any] = {**QUICK, "api_visibility": "private"}
# What page.js is told of a run.
BEGUN, ENDED = "() => unrolled.run(true)", "() => unrolled.run(false)"

Part = TypeVar("Part")


@dataclass(frozen=True)
class Opening:
    """What the tab shows of a checkpoint before anything is decoded."""

    card: CheckpointCard | str | None  # str: why there is none
    text: str
    tokens: Encoding | str | None
    examples: tuple[str, ...]
    max_length: int


@dataclass(frozen=True)
class SourceWidgets:
    """The left card."""

    text: gr.Textbox
    tokens: SourceTokens
    examples: tuple[gr.Button, ...]
    run: gr.Button


def opening(context: AppContext, name: str | None) -> Opening:
    """Read a checkpoint without its weights. Raises UnknownCheckpointError."""
    if name is None:
        problem = f"There is no checkpoint in {context.registry.root.name}/. Train one or copy one there."
        return Opening(problem, "", None, (), DEFAULT_MAX_LENGTH)
    config = readable(context.registry.config, name)
    card, tokenizer = readable(context.registry.card, name), readable(context.tokenizer, name)
    if isinstance(config, str):
        return Opening(config, "", None, (), DEFAULT_MAX_LENGTH)
    examples = config.examples[:MAX_EXAMPLES]
    text = examples[0] if examples else ""
    tokens = tokenizer if isinstance(tokenizer, str) else tokenizer.encode(text)
    return Opening(card, text, tokens, examples, min(config.max_length, MAX_OUTPUT_TOKENS))


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


def on_checkpoint(context: AppContext, name: object) -> tuple[Any, ...]:
    """Everything but the card that belongs to a checkpoint: text, tokens, trace, length, examples."""
    trace = on_example_trace(context, name)
    shown = opening(context, str(name))
    return shown.text, shown.tokens, trace, shown.max_length, *_example_updates(shown.examples)


def on_tokenize(context: AppContext, name: object, text: object) -> Encoding | str | None:
    """The tokens of a text while it is typed; a sentence where it cannot be read."""
    check_name(name)
    try:
        check_text(text)
    except RequestError as error:
        return str(error)
    return context.tokenizer(str(name)).encode(str(text)) if str(text).strip() else None


def on_example(context: AppContext, index: int, name: object) -> str:
    """One of the checkpoint's examples as the source text."""
    check_name(name)
    examples = context.registry.config(str(name)).examples
    if index >= len(examples):
        raise RequestError(f"This checkpoint has {len(examples)} examples.")
    return examples[index]


def on_decode(context: AppContext, *values: object) -> DecodingTrace:
    """Decode what the widgets say, in the order of `DecodeRequest`'s fields."""
    return context.decode(DecodeRequest(*values))  # type: ignore[arg-type]


def build_decode_tab(context: AppContext, page: gr.Blocks) -> None:
    """Widgets first, wiring last."""
    chosen = context.default_checkpoint
    shown = opening(context, chosen)
    with gr.Tab("Decode", id="decode"):
        picker = build_checkpoint_picker(context.registry.names(), chosen, shown.card)
        with gr.Row(elem_classes="cards", equal_height=True):
            source = _build_source(shown)
            controls = build_strategy_controls(shown.max_length)
        gr.HTML("<h2>Result</h2>", elem_classes="for-screen-readers")
        trace = TraceView(label="Decoding", elem_id="trace")
    if chosen is not None:
        # Not the widget's value: drawing it takes Plotly, whose import the page need not wait for.
        page.load(guarded(on_example_trace, context, chosen), None, trace, **PRIVATE)
    _wire_checkpoint(context, picker, source, controls, trace)
    _wire_decoding(context, picker, source, controls, trace)


def _build_source(shown: Opening) -> SourceWidgets:
    with gr.Column(elem_classes="card", elem_id="source-card", scale=3, min_width=320):
        text = gr.Textbox(
            value=shown.text,
            label="Source text",
            info=f"At most {MAX_CHARACTERS} characters. Ctrl+Enter decodes.",
            placeholder="Type a sentence",
            lines=3,
            max_lines=6,
            elem_id="source",
            html_attributes=gr.InputHTMLAttributes(spellcheck=False, autocorrect="off", autocapitalize="off"),
        )
        tokens = SourceTokens(shown.tokens, label="Source tokens", elem_id="source-tokens")
        with gr.Row(elem_classes="examples", elem_id="examples"):
            examples = tuple(
                gr.Button(**properties, size="sm", min_width=0, elem_classes="example")
                for properties in _example_properties(shown.examples)
            )
        run = gr.Button("Decode", variant="primary", elem_id="run")
    return SourceWidgets(text, tokens, examples, run)


def _wire_checkpoint(
    context: AppContext,
    picker: CheckpointPicker,
    source: SourceWidgets,
    controls: StrategyControls,
    trace: TraceView,
) -> None:
    # `change`, since `input` also comes when the focus merely passes through a picker or, for a text, never
    # comes for pasting, deleting and phones' keyboards.
    facts = [picker.summary, picker.body]
    picker.name.change(guarded(on_card, context), picker.name, facts, api_name="card", **QUICK)
    belongings = [source.text, source.tokens, trace, controls.max_length, *source.examples]
    picker.name.change(guarded(on_checkpoint, context), picker.name, belongings, **PRIVATE)
    source.text.change(
        guarded(on_tokenize, context),
        [picker.name, source.text],
        source.tokens,
        api_name="tokenize",
        trigger_mode="always_last",  # while one is under way, only the latest text waits
        **QUICK,
    )


def _wire_decoding(
    context: AppContext,
    picker: CheckpointPicker,
    source: SourceWidgets,
    controls: StrategyControls,
    trace: TraceView,
) -> None:
    decode: dict[str, Any] = {
        "fn": guarded(on_decode, context, like=DecodeRequest),
        "inputs": [picker.name, source.text, *controls.in_order()],
        "outputs": trace,
        "preprocess": False,
        "show_progress": "hidden",
        "concurrency_id": "decode",
    }

    def run(on: Callable[..., gr.events.Dependency], **settings: str) -> None:
        ended = on(**decode, **settings)
        ended.success(js=ENDED)
        ended.failure(js=ENDED)

    source.run.click(js=BEGUN)
    run(source.run.click, api_name="decode")
    for index, example in enumerate(source.examples):
        example.click(js=BEGUN)
        filled = example.click(guarded(on_example, context, index), picker.name, source.text, **PRIVATE)
        filled.failure(js=ENDED)
        run(filled.success, api_visibility="private")


def _example_properties(examples: tuple[str, ...]) -> list[dict[str, Any]]:
    padded = [*examples, *[""] * (MAX_EXAMPLES - len(examples))]
    return [{"value": text, "visible": bool(text)} for text in padded]


def _example_updates(examples: tuple[str, ...]) -> list[gr.Button]:
    return [gr.Button(**properties) for properties in _example_properties(examples)]


def readable(read: Callable[[str], Part], name: str) -> Part | str:
    """What `read` returns, or the sentence of its CheckpointError."""
    try:
        return read(name)
    except CheckpointError as error:
        return str(error)
