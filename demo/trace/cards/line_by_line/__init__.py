"""The search as a short Python program, executed from the trace one line at a time, and the candidates of a step."""

from __future__ import annotations

from demo.i18n import in_page
from demo.trace.trace_card import Card
from demo.widgets.figures.trace_figure import HideablePart
from demo.widgets.view.assets import asset

CARD = Card(
    name="candidates",
    position=52,
    pane="left",
    title="Line by line",
    html=asset("trace/cards/line_by_line/line_by_line.html"),
    part=HideablePart("candidates", in_page("the candidates of a step")),
    covers={"edit": ".tv-anew"},
    script="trace/cards/line_by_line/line_by_line.js",
)
