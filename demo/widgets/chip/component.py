"""A button that shows a choice and opens the controls for it: below it, or as a rail beside the result.

Root element: `button.chip-button`, inside the block that `elem_id` names. The opened element has `data-open`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import gradio as gr

from demo.i18n import in_page
from demo.widgets.share.component import ShareBar
from demo.widgets.view.view import View

TEMPLATE = """
<button type="button" class="chip-button" aria-expanded="false">\
<span class="chip-called"></span><b class="chip-value" translate="no"></b></button>
"""


class Chip(View):
    """Shows its value, a short text."""

    def __init__(self, value: str = "", *, called: str = "", rail: str = "", **options: Any) -> None:
        """`called` stands before the value; `rail` is the opened element's id, by default the next one's."""
        super().__init__("widgets/chip", value, template=TEMPLATE, called=called, rail=rail, **options)

    def postprocess(self, value: str | None) -> str:
        """Convert the value for the browser."""
        return str(value or "")


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
