"""A trace as one HTML file: what the browser puts together for a reader who downloads it."""

from __future__ import annotations

import re

from demo.views.shared.plotly import plotly_file
from demo.views.trace.assets import SLOTS, page_shell
from demo.views.trace.payload import trace_payload
from models.decoding.trace import DecodingTrace


def exported_page(trace: DecodingTrace) -> str:
    """The page with its slots filled, before a reader asked anything."""
    before, payload, told, after = re.split("|".join(map(re.escape, SLOTS)), page_shell())
    plotly = plotly_file().read_text(encoding="utf-8")
    return "".join((before, plotly, payload, trace_payload(trace), told, "{}", after))
