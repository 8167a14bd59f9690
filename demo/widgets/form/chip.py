"""A chip, below which widgets open that are not needed all the time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import gradio as gr

from demo.widgets.chip.component import Chip


@contextmanager
def chip_panel(chip: Chip, elem_id: str, *classes: str) -> Iterator[None]:
    """A context manager: pressing the chip, which must be unrendered, opens the widgets of the block."""
    with gr.Column(elem_classes=["chip", *classes], elem_id=elem_id, scale=0, min_width=0):
        chip.render()  # type: ignore[no-untyped-call]
        with gr.Column(elem_classes="chip-body", min_width=0):
            yield
