"""The checkpoints of the folder: their files, the payloads of their examples, and the content of the form."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from demo.compare.work.examples import comparison_examples
from demo.decode.controls.checkpoint import card_text, neighbours
from demo.decode.controls.source import opening
from demo.decode.filling import replacement_sentence
from demo.decode.source_tokens.component import SourceTokens
from demo.i18n import LANGUAGES, in_language, message_text
from demo.static.site.decoder import can_run
from demo.trace.payload import trace_payload
from demo.widgets.checkpoint_card.component import CheckpointSummary
from demo.widgets.picture_input.component import PictureInput
from demo.work.context import PREFERRED, AppContext
from models.errors import Message
from models.registry.card import CheckpointError
from models.registry.registry import Registry

WEIGHTS = "model.safetensors"
# What the browser reads, the card, and the example for the server's own command.
FILES = (WEIGHTS, "tokenizer.json", "config.json", "README.md", "example.json")
SMALL_BYTES = 2_000_000  # weights that a phone loads within seconds
ALL = "all"


def select_names(registry: Registry, names: Sequence[str]) -> list[str]:
    """The names to put into the folder: the given ones, all, or the small ones and one translator.

    Raises UnknownCheckpointError, and CheckpointError also for a network that the browser cannot run.
    """
    for name in names:
        if name != ALL and not can_run(registry.config(name).network):
            raise CheckpointError(
                name,
                "config.json",
                Message("no_browser_network", "names a network that the page without a server cannot run"),
                Message("choose_another_checkpoint", "Choose another checkpoint."),
            )
    available = [name for name, config in registry.configs().items() if can_run(config.network)]
    if ALL in names:
        return available
    return list(names) or [name for name in available if name == PREFERRED or _is_small(registry, name)]


def copy_checkpoint(registry: Registry, name: str, target: Path) -> None:
    """Copy the files of a checkpoint into a folder with its name."""
    folder = registry.folder(name)
    assert folder is not None
    (target / name).mkdir(parents=True, exist_ok=True)
    for file in FILES:
        if (folder / file).exists():
            shutil.copyfile(folder / file, target / name / file)


def write_examples(context: AppContext, name: str, folder: Path) -> None:
    """Write the payload of the checkpoint's example, in each language."""
    trace = context.registry.example(name)
    for code in LANGUAGES:
        with in_language(code):
            (folder / f"drawn.{code}.json").write_text(trace_payload(trace, context.label), encoding="utf-8")


def checkpoint_data(context: AppContext, name: str) -> dict[str, Any]:
    """The content of the form for a checkpoint, in the language of the request."""
    content, config = opening(context, name), context.config(name)
    names = context.registry.names()
    return {
        "label": context.label(name),
        "title": context.title(name),
        "replacement": replacement_sentence(context, name),
        "summary": CheckpointSummary().postprocess(content.card),
        "card": card_text(content.card),
        "text": content.text,
        "tokens": SourceTokens().postprocess(content.tokens),
        "examples": config.examples,
        "compared": [
            {"text": example.text, "reference": example.reference} for example in comparison_examples(config)
        ],
        "maxLength": content.max_length,
        "picture": PictureInput(elem_id="picture").postprocess(content.picture),
        "neighbours": [(other, message_text(label)) for other, label in neighbours(context, name, None)],
        "alike": [other for other in names if context.config(other).reads_like(config)],
        "writesAlike": [other for other in names if context.config(other).writes_like(config)],
    }


def _is_small(registry: Registry, name: str) -> bool:
    folder = registry.folder(name)
    return folder is not None and (folder / WEIGHTS).stat().st_size <= SMALL_BYTES
