"""A trace as one HTML file that needs neither server nor network: the same view, with Plotly inside."""

from __future__ import annotations

import re

from demo.views.shared.plotly import plotly_file
from demo.views.trace.assets import SLOTS, page_shell
from demo.views.trace.payload import trace_payload
from models.decoding.trace import DecodingTrace


def standalone_html(trace: DecodingTrace) -> str:
    """The whole page for a trace; it makes no request, and a content policy in it forbids any."""
    before, payload, told, after = re.split("|".join(map(re.escape, SLOTS)), page_shell())
    plotly = plotly_file().read_text(encoding="utf-8")
    return "".join((before, plotly, payload, trace_payload(trace), told, "{}", after))
