"""All candidates of a step as a table: the tree for keyboards and screen readers."""

from __future__ import annotations

from demo.i18n import in_page
from demo.trace.trace_card import Card
from demo.widgets.figures.trace_figure import HideablePart
from demo.widgets.view.assets import asset

CARD = Card(
    name="candidates",
    position=98,
    pane="centre",
    title="Candidates",
    html=asset("trace/cards/candidates/candidates.html"),
    part=HideablePart("candidates", in_page("the candidates of a step")),
    covers={"edit": ".tv-anew"},
    script="trace/cards/candidates/candidates.js",
)
