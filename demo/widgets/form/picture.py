"""The choice of a picture, for a checkpoint that reads pictures, and its way into the source."""

from __future__ import annotations

from typing import Any

import gradio as gr

from demo.server.events import PRIVATE
from demo.widgets.picture_input.component import PictureChoice, PictureInput
from models.registry.checkpoint import CheckpointConfig

# The text of the source; empty without a picture.
AS_TEXT = "(value) => value?.picture ?? ''"
AS_TEXT_AND_CAPTION = "(value) => [value?.picture ?? '', value?.caption ?? '']"
MAX_EXAMPLES = 6


def picture_choice(config: CheckpointConfig, picture: str | None = None) -> PictureChoice | None:
    """The pictures of a checkpoint, with its first example or `picture` selected; None if it reads texts."""
    if not config.reads_pictures:
        return None
    examples = config.examples[:MAX_EXAMPLES]
    first = picture if picture is not None else next(iter(examples), "")
    return PictureChoice(first, examples, int(config.network.get("picture_size", 64)))


def become_source(
    picture: PictureInput, text: gr.Textbox, caption: gr.Textbox | None = None
) -> gr.events.Dependency:
    """Wire a drawn or chosen picture to become the source; returns the event of a choice.

    The browser alone does so. `caption` receives the description of the picture, which is empty if none is
    known.
    """
    outputs = [text] if caption is None else [text, caption]
    wiring: dict[str, Any] = {
        "fn": None,
        "inputs": picture,
        "outputs": outputs,
        "js": AS_TEXT if caption is None else AS_TEXT_AND_CAPTION,
        **PRIVATE,
    }
    picture.input(**wiring)
    choice: gr.events.Dependency = picture.chosen(**wiring)
    return choice
