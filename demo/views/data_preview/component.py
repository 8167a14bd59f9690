"""Data before training: counts, histograms of lengths, some pairs, and the rows that cannot be used.

Root element: `div.dp`; `data-ready` counts the values drawn, `data-state` is empty, data or problem.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from demo.service.training.preview import DataPreview
from demo.views.shared.view import View, coloured

TEMPLATE = """
<div class="dp" data-ready="0" data-state="empty">
  <p class="dp-empty">Choose data, then look at it: counts, lengths and examples appear here.</p>
  <p class="dp-problem" role="status"></p>
  <div class="dp-body"></div>
</div>
"""


class DataView(View):
    """Shows a `DataPreview`, or a sentence that says why there is none; text is never read as HTML."""

    def __init__(self, value: DataPreview | str | None = None, **settings: Any) -> None:
        style = coloured(".dp", "data_preview/view.css")
        super().__init__("data_preview", value, template=TEMPLATE, style=style, **settings)

    def postprocess(self, value: DataPreview | str | None) -> dict[str, Any]:
        """As the browser reads it."""
        if isinstance(value, DataPreview):
            return {"state": "data", **asdict(value)}
        return {"state": "problem" if value else "empty", "problem": value or ""}

    def preprocess(self, payload: Any) -> None:
        """Nothing: what comes back from a browser is not the data."""

    def api_info(self) -> dict[str, Any]:
        """What the endpoint returns."""
        return {"type": "object", "description": "statistics, pairs, malformed: see the class DataPreview"}
