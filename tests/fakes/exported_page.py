"""A trace as one HTML file, as the browser builds it for a download."""

from __future__ import annotations

import re

from demo.views.shared.plotly import plotly_file
from demo.views.trace.assets import SLOTS, page_shell
from demo.views.trace.payload import trace_payload
from models.decoding.trace import DecodingTrace


def exported_page(trace: DecodingTrace) -> str:
    """Return the page with its slots filled, without answers to later questions."""
    before, payload, answers, after = re.split("|".join(map(re.escape, SLOTS)), page_shell())
    plotly = plotly_file().read_text(encoding="utf-8")
    return "".join((before, plotly, payload, trace_payload(trace), answers, "{}", after))
