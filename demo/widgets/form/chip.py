"""A chip, below which widgets open that are not needed all the time, and the chip “Share”."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import gradio as gr

from demo.i18n import in_page
from demo.widgets.chip.component import Chip
from demo.widgets.share.component import ShareBar


@contextmanager
def chip_panel(chip: Chip, elem_id: str, *classes: str) -> Iterator[None]:
    """A context manager: pressing the chip, which must be unrendered, opens the widgets of the block."""
    with gr.Column(elem_classes=["chip", *classes], elem_id=elem_id, scale=0, min_width=0):
        chip.render()  # type: ignore[no-untyped-call]
        with gr.Column(elem_classes="chip-body", min_width=0):
            yield


@contextmanager
def share_chip(tab: str, elem_id: str, files: str = "") -> Iterator[ShareBar]:
    """A context manager: widgets of the block stand below the link; `files` as `ShareBar` takes it."""
    with chip_panel(Chip(called=in_page("Share"), render=False), elem_id, "share-chip"):
        yield ShareBar(tab, files=files)
