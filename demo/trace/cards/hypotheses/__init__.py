"""The hypotheses in their order, which another ranking can change."""

from __future__ import annotations

from demo.trace.trace_card import PROBABILITIES, Card
from demo.widgets.captions.trace import ranking_caption
from demo.widgets.view.assets import asset

CARD = Card(
    name="hypotheses",
    position=53,
    pane="left",
    title="Hypotheses",
    html=asset("trace/cards/hypotheses/hypotheses.html"),
    hidden_by=("ranking",),
    covers={
        PROBABILITIES: ".tv-ranking-title, .tv-verdict, .tv-hypothesis > :is(.tv-bar, .tv-number),"
        " [data-caption=ranking]"
    },
    captions={"ranking": ranking_caption},
)
