"""A trace as one HTML file, as the browser builds it for a download."""

from __future__ import annotations

from demo.trace import component
from demo.widgets.view.assets import plotly_file
from models.decoding.trace import DecodingTrace


def exported_page(trace: DecodingTrace) -> str:
    """Return the page with its slots filled, without answers to later questions."""
    return component.exported_page(trace, plotly_file().read_text(encoding="utf-8"))
