"""The earlier results of a visit, which the browser keeps, and traces from files: none is decoded anew.

Root element: `div.results`, inside the block that `elem_id` names.
"""

from __future__ import annotations

from typing import Any

from demo.views.results.trace_file import read_trace_file
from demo.views.shared.view import View


class ResultsMenu(View):
    """Its value tells the script that the controls say again what a result was asked by, or why they do not.

    Event `reopen`: `{"checkpoint", "text", "settings", "run"}`; from the browser, so check it.
    """

    def __init__(self, *, elem_id: str, **options: Any) -> None:
        """`options` are those of `gr.HTML`; the template and the code are fixed."""
        super().__init__(
            "results", events=("reopen",), elem_id=elem_id, server_functions=[read_trace_file], **options
        )

    @property
    def chosen(self) -> str:
        """JavaScript that takes the value, once the controls are filled in for a checkpoint."""
        return f"(value) => {{ document.querySelector('#{self.elem_id} .results').unrolled.chosen(value); }}"

    @property
    def filled(self) -> str:
        """JavaScript that takes the value, once the controls are filled in."""
        return f"(value) => {{ document.querySelector('#{self.elem_id} .results').unrolled.filled(value); }}"

    @property
    def failed(self) -> str:
        """JavaScript for when the controls could not be filled in."""
        return f"() => {{ document.querySelector('#{self.elem_id} .results').unrolled.filled(null); }}"

    def preprocess(self, payload: Any) -> None:
        """Nothing: the server wrote it."""

    def api_info(self) -> dict[str, Any]:
        """What the client library says of the value."""
        return {"type": "object", "description": "run: whether to decode what the controls say; said"}
