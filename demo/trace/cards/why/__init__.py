"""The reasons for the token of this step: the contribution of each token read, by several methods."""

from __future__ import annotations

from demo.i18n import in_page
from demo.trace.trace_card import Card
from demo.widgets.figures.trace_figure import HideablePart
from demo.widgets.view.assets import asset

CARD = Card(
    name="why",
    position=96,
    pane="right",
    title="Why",
    html=asset("trace/cards/why/why.html"),
    part=HideablePart("why", in_page("why a token was written")),
    script="trace/cards/why/why.js",
)
