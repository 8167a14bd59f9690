"""The Checkpoints tab: every checkpoint, in the order of the field's history."""

from __future__ import annotations

from typing import Any

import gradio as gr

from demo.checkpoints.gallery.component import CheckpointGallery, Gallery
from demo.checkpoints.hub import wire_hub
from demo.checkpoints.hub_shelf.component import HubShelf
from demo.i18n import language, message_text
from demo.server.events import PRIVATE, QUICK, REFRESH
from demo.server.gradio_compat import event_data
from demo.widgets.form.choices import OtherTabs, own_checkpoints
from demo.work.context import AppContext
from demo.work.errors import guard
from demo.work.operator.caps import OPENING
from demo.work.requests.checks import RequestError, check_name
from models.registry.card import CheckpointCard, CheckpointError
from models.registry.quality_by_length import QualityByLength
from models.registry.registry import UnknownCheckpointError

TO_TOP = "() => window.scrollTo({top: 0})"


def on_gallery(context: AppContext) -> Gallery:
    """Every checkpoint in its current state on the disk."""
    registry = context.registry
    cards: dict[str, CheckpointCard | str] = {}
    scores: dict[str, QualityByLength | str] = {}
    for name, card in registry.cards(language()).items():
        cards[name] = message_text(card) if isinstance(card, CheckpointError) else card
        try:
            registry.config(name)
        except (CheckpointError, UnknownCheckpointError) as error:
            cards[name] = message_text(error)
            continue
        try:
            quality = registry.quality_by_length(name)
            if quality is not None:
                scores[name] = quality
        except (CheckpointError, UnknownCheckpointError) as error:
            scores[name] = message_text(error)
    return Gallery(cards, scores, {name: context.title(name) for name in cards})


def on_open(context: AppContext, token: object, data: object) -> tuple[Any, Any]:
    """The Decode tab with one checkpoint. Raises RequestError, UnknownCheckpointError, CheckpointError."""
    if not isinstance(data, dict):
        raise RequestError("checkpoint_missing", "Choose a checkpoint.")
    name = data.get("name") or data.get("repo")
    check_name(name)
    context.config(str(name))
    return gr.update(value=name, choices=own_checkpoints(context, token)), gr.Tabs(selected="decode")


def build_checkpoints_tab(context: AppContext, others: OtherTabs) -> None:
    """Build the tab. It is read and drawn when it is opened."""
    with gr.Tab("Checkpoints", id="checkpoints", elem_id="checkpoints-tab") as tab:
        if context.hub is not None:
            # The style sheet shows the one that is chosen.
            gr.Radio(
                [("On this machine", "here"), ("From the Hugging Face Hub", "hub")],
                value="here",
                label="Where they are",
                show_label=False,
                interactive=True,
                elem_id="shelf-switch",
                elem_classes="segmented",
            )
        gallery = CheckpointGallery(elem_id="gallery")
        shelf = HubShelf(context.hub, elem_id="hub") if context.hub is not None else None
    show = guard(on_gallery, context)
    tab.select(show, None, gallery, **QUICK)
    open_checkpoint = guard(on_open, context)

    def open_in_decode(token: object, event: gr.EventData) -> Any:
        return open_checkpoint(token, event_data(event))

    opening = [gallery.open]
    if shelf is not None:
        opening.append(shelf.open)
        for changed in wire_hub(context, tab, shelf, others):
            changed.success(show, None, gallery, **REFRESH)
    for event in opening:
        event(
            open_in_decode,
            others.visitor,
            [others.pickers[0], others.tabs],
            preprocess=False,
            **OPENING.queue,
            **PRIVATE,
        ).success(js=TO_TOP)
