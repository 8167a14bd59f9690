"""Data before training: counts, histograms of lengths, some pairs, and the rows that cannot be used.

Root element: `div.dp`; `data-ready` counts the values drawn, `data-state` is empty, data or problem.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import gradio as gr

from demo.components.translated import with_words
from demo.figures.palette import DARK, LIGHT, css_variables
from demo.training.preview import DataPreview

ASSETS = Path(__file__).parent / "assets"
TEMPLATE = """
<div class="dp" data-ready="0" data-state="empty">
  <p class="dp-empty">Choose data, then look at it: counts, lengths and examples appear here.</p>
  <p class="dp-problem" role="status"></p>
  <div class="dp-body"></div>
</div>
"""


class DataView(gr.HTML):
    """Shows a `DataPreview`, or a sentence that says why there is none; text is never read as HTML."""

    def __init__(self, value: DataPreview | str | None = None, **settings: Any) -> None:
        style = (ASSETS / "data_preview.css").read_text(encoding="utf-8")
        super().__init__(
            value=value,
            html_template=TEMPLATE,
            css_template=f".dp {{{css_variables(LIGHT)}}}\n.dark & .dp {{{css_variables(DARK)}}}\n{style}",
            js_on_load=with_words("data_preview.js"),
            apply_default_css=False,
            **settings,
        )

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
