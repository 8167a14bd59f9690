"""The Checkpoints tab: what there is to decode with, told as the story of the field."""

from __future__ import annotations

from typing import Any

import gradio as gr

from demo.components.checkpoint_gallery import CheckpointGallery
from demo.components.gallery_payload import Gallery
from demo.context import AppContext
from demo.errors import guarded
from demo.request import RequestError, check_name
from models.registry.card import CheckpointCard, CheckpointError
from models.registry.quality_by_length import QualityByLength
from models.registry.registry import UnknownCheckpointError

QUICK: dict[str, Any] = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}


TO_TOP = "() => window.scrollTo({top: 0})"


def on_show(context: AppContext) -> Gallery:
    """Every checkpoint as it now lies on the disk."""
    registry = context.registry
    cards: dict[str, CheckpointCard | str] = {}
    measured: dict[str, QualityByLength | str] = {}
    for name, card in registry.cards().items():
        cards[name] = str(card) if isinstance(card, CheckpointError) else card
        try:
            registry.config(name)
        except (CheckpointError, UnknownCheckpointError) as error:
            cards[name] = str(error)
            continue
        try:
            quality = registry.quality_by_length(name)
        except (CheckpointError, UnknownCheckpointError) as error:
            measured[name] = str(error)
        else:
            if quality is not None:
                measured[name] = quality
    return Gallery(cards, measured)


def on_open(context: AppContext, data: object) -> tuple[Any, Any]:
    """The Decode tab with one of them. Raises RequestError, UnknownCheckpointError, CheckpointError."""
    if not isinstance(data, dict):
        raise RequestError("Choose a checkpoint.")
    name = data.get("name")
    check_name(name)
    context.config(str(name))
    # Where visitors train, the list holds their own checkpoints too and is brought up to date elsewhere.
    choices = {"choices": list(context.registry.names())} if context.training is None else {}
    return gr.update(value=name, **choices), gr.Tabs(selected="decode")


def build_checkpoints_tab(context: AppContext, tabs: gr.Tabs, picker: gr.Dropdown) -> None:
    """Read and drawn when the tab is opened; `picker` is the choice of the Decode tab."""
    with gr.Tab("Checkpoints", id="checkpoints", elem_id="checkpoints-tab") as tab:
        gallery = CheckpointGallery(elem_id="gallery")
    tab.select(guarded(on_show, context), None, gallery, **QUICK)
    opened = guarded(on_open, context)

    # A function of its own: Gradio finds the event by the annotation.
    def open_in_decode(event: gr.EventData) -> Any:
        return opened(event._data)

    gallery.open(
        open_in_decode,
        None,
        [picker, tabs],
        show_progress="hidden",
        concurrency_id="gallery",
        api_visibility="private",
    ).success(js=TO_TOP)
