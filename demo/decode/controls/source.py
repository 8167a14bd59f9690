"""The source line: a text, its tokens, examples to try, or a picture; and the buttons of a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import gradio as gr

from demo.decode.source_tokens.component import SourceTokens
from demo.i18n import in_page, language, message_text, say
from demo.widgets.chip.component import Chip, chip_panel
from demo.widgets.picture_input.component import PictureChoice, PictureInput, picture_choice
from demo.work.context import AppContext
from demo.work.operator.caps import MAX_CHARACTERS, MAX_OUTPUT_TOKENS
from demo.work.requests.decode import default_options
from models.errors import Message
from models.registry.card import CheckpointCard, CheckpointError
from models.tokenization.pictures import PictureError
from models.tokenization.tokenizer import Encoding, Tokenizer

MAX_EXAMPLES = 6
# Screen readers announce its content; the page's script may write there, too.
ANNOUNCE_PROGRESS = """element.setAttribute('role', 'status');
element.say = (text) => { if (props.value !== text) props.value = text; };"""

Part = TypeVar("Part")


@dataclass(frozen=True)
class Opening:
    """The content of a tab for a checkpoint before anything is decoded."""

    card: CheckpointCard | str | None  # str: why there is none
    text: str = ""
    tokens: Encoding | str | None = None
    examples: tuple[str, ...] = ()  # texts; pictures are offered by the picture
    max_length: int = field(default_factory=lambda: default_options().max_length)
    picture: PictureChoice | None = None  # None unless the checkpoint reads pictures


@dataclass(frozen=True)
class SourceLine:
    """The widgets of the source and the buttons of a run; the caller renders `picture` and `progress`."""

    text: gr.Textbox
    tokens: SourceTokens
    picture: PictureInput
    examples: tuple[gr.Button, ...]
    run: gr.Button
    stop: gr.Button
    progress: gr.HTML


def opening(context: AppContext, name: str | None) -> Opening:
    """Read a checkpoint without its weights. Raises UnknownCheckpointError."""
    if name is None:
        root = context.registry.root.name
        return Opening(say("There is no checkpoint in {folder}/. Train one or copy one there.", folder=root))
    config = readable(context.registry.config, name)
    card = readable(partial(context.registry.card, language=language()), name)
    tokenizer = readable(context.tokenizer, name)
    if isinstance(config, str):
        return Opening(config)
    examples = config.examples[:MAX_EXAMPLES]
    text = examples[0] if examples else ""
    tokens = tokenizer if isinstance(tokenizer, str) else tokens_of(tokenizer, text)
    picture = picture_choice(config)
    buttons = () if picture else examples
    return Opening(card, text, tokens, buttons, min(config.max_length, MAX_OUTPUT_TOKENS), picture)


def tokens_of(tokenizer: Tokenizer, text: str) -> Encoding | str | None:
    """The tokens of a text; a sentence if it cannot be read; None for a readable picture."""
    try:
        encoding = tokenizer.encode(text)
    except PictureError as error:
        return message_text(error)
    return encoding if tokenizer.picture is None else None  # it shows its cells by itself


def readable(read: Callable[[str], Part], name: str) -> Part | str:
    """The result of `read`, or the sentence of its CheckpointError."""
    try:
        return read(name)
    except CheckpointError as error:
        return message_text(error)


def build_source_line(content: Opening, strategy: Chip) -> SourceLine:
    """Build the line, with the chip of the strategy, made unrendered, before the button that decodes.

    The style sheet shows the stop button only during a run, and lays the progress over what is below.
    """
    with gr.Row(elem_id="source-line"):
        text = gr.Textbox(
            value=content.text,
            label="Source text",
            show_label=False,
            info=Message(
                "source_limit",
                "At most {limit} characters. Enter decodes, Shift+Enter begins a line.",
                limit=MAX_CHARACTERS,
            ),
            placeholder="Type a sentence, then press Enter",
            lines=1,
            max_lines=3,
            elem_id="source",
            html_attributes=gr.InputHTMLAttributes(spellcheck=False, autocorrect="off", autocapitalize="off"),
        )
        examples, tokens = _examples(content)
        strategy.render()  # type: ignore[no-untyped-call]
        run = gr.Button("Decode", variant="primary", elem_id="run", min_width=0)
        stop = gr.Button("Stop", elem_id="stop", min_width=0)
    progress = gr.HTML(
        "", elem_id="progress", apply_default_css=False, js_on_load=ANNOUNCE_PROGRESS, render=False
    )
    picture = PictureInput(content.picture, label="Picture", elem_id="picture", render=False)
    return SourceLine(text, tokens, picture, examples, run, stop, progress)


def _examples(content: Opening) -> tuple[tuple[gr.Button, ...], SourceTokens]:
    """The widgets: the buttons of a checkpoint's examples, and the tokens of the text."""
    with chip_panel(Chip(called=in_page("Examples"), render=False), "examples-chip"):
        with gr.Column(elem_classes=["examples", "notranslate"], elem_id="examples"):
            examples = tuple(
                gr.Button(**properties, size="sm", min_width=0, elem_classes="example")
                for properties in _example_properties(content.examples)
            )
        tokens = SourceTokens(content.tokens, label="Source tokens", elem_id="source-tokens")
    return examples, tokens


def example_updates(examples: tuple[str, ...]) -> list[gr.Button]:
    """The example buttons of another checkpoint; those without a text are hidden."""
    return [gr.Button(**properties) for properties in _example_properties(examples)]


def _example_properties(examples: tuple[str, ...]) -> list[dict[str, Any]]:
    padded = [*examples, *[""] * (MAX_EXAMPLES - len(examples))]
    return [{"value": text, "visible": bool(text)} for text in padded]
