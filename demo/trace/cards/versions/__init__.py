"""The original and its edits, one below the other."""

from __future__ import annotations

from demo.trace.trace_card import PROBABILITIES, Card
from demo.widgets.captions.trace import edit_caption
from demo.widgets.view.assets import asset

CARD = Card(
    name="versions",
    position=56,
    pane="left",
    title="What if",
    html=asset("trace/cards/versions/versions.html"),
    hidden_by=("edit",),
    covers={PROBABILITIES: ".tv-versions-key, .tv-version .tv-number"},
    captions={"edit": edit_caption},
)
