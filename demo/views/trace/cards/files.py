"""What a reader can take away: the trace, and the view as a page of its own."""

from __future__ import annotations

from demo.views.trace.trace_card import Card

CARD = Card(
    name="files",
    place=1000,
    html="",
    hidden_by=("downloads",),
    tag="footer",
    attributes='class="tv-files" role="group" aria-label="Download this result"',
)
