"""A button that shows a choice and opens the controls for it: below it, or as a rail beside the result.

Root element: `button.chip-button`, inside the block that `elem_id` names. The opened element has `data-open`.
"""

from __future__ import annotations

from typing import Any

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
