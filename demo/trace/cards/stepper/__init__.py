"""The bar that steps through the output."""

from __future__ import annotations

from demo.i18n import in_page
from demo.trace.trace_card import LINE, Card
from demo.widgets.figures.trace_figure import HideablePart
from demo.widgets.view.assets import asset

CARD = Card(
    name="stepper",
    position=LINE,
    html=asset("trace/cards/stepper/stepper.html"),
    part=HideablePart("stepper", in_page("the stepper")),
    hidden_by=(),
    attributes='class="tv-stepper" role="group" aria-label="Step through the output"',
    script="trace/cards/stepper/stepper.js",
)
