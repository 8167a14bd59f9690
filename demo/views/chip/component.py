"""A button that says what is chosen and opens what to choose from: below it, or as a rail beside the result.

Root element: `button.chip-button`, inside the block that `elem_id` names. What it opens carries `data-open`.
"""

from __future__ import annotations

from typing import Any

from demo.views.shared.view import View

TEMPLATE = """
<button type="button" class="chip-button" aria-expanded="false">\
<span class="chip-called"></span><b class="chip-value" translate="no"></b></button>
"""


class Chip(View):
    """Shows its value, a short text."""

    def __init__(self, value: str = "", *, called: str = "", rail: str = "", **options: Any) -> None:
        """`called` stands before the value; `rail` is the id of what it opens, which else is beside it."""
        super().__init__("chip", value, template=TEMPLATE, called=called, rail=rail, **options)

    def postprocess(self, value: str | None) -> str:
        """As the browser reads it."""
        return str(value or "")

    def api_info(self) -> dict[str, Any]:
        """What the client library says of the value."""
        return {"type": "string", "description": "What is chosen, in words"}
