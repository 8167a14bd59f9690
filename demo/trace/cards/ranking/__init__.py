"""The hypotheses in their order, and their ranking under another length penalty, which changes it."""

from __future__ import annotations

from typing import Any

from demo.i18n import in_page
from demo.trace.trace_card import PROBABILITIES, Card
from demo.widgets.captions.trace import ranking_caption, scores_captions
from demo.widgets.figures.score_curve import NORMALIZERS, score_curve_figure, score_curves, score_marks
from demo.widgets.figures.trace_figure import HideablePart
from demo.widgets.view.assets import asset
from models.decoding.trace import DecodingTrace


def _ranking(trace: DecodingTrace) -> dict[str, Any] | None:
    """The data for ranking anew: the search's setting, a frame, and the changes by each normaliser."""
    curves = score_curves(trace)
    if curves is None:
        return None
    figure = score_curve_figure(curves, curves.kind).to_plotly_json()
    for line in figure["data"][: len(curves.curves)]:
        del line["y"], line["customdata"]  # the browser fills them in for the chosen normaliser
    return {
        **{name: getattr(curves, name) for name in ("kind", "alpha", "low", "high")},
        "figure": figure,
        "marks": {kind: score_marks(curves, kind) for kind in NORMALIZERS},
    }


HYPOTHESES = Card(
    name="hypotheses",
    position=53,
    pane="left",
    title="Hypotheses",
    html=asset("trace/cards/ranking/hypotheses.html"),
    hidden_by=("ranking",),
    covers={
        PROBABILITIES: ".tv-ranking-title, .tv-verdict, .tv-hypothesis > :is(.tv-bar, .tv-number),"
        " [data-caption=ranking]"
    },
    captions={"ranking": ranking_caption},
)
RANKING = Card(
    name="ranking",
    position=70,
    pane="left",
    within="hypotheses",
    title="Ranking",
    html=asset("trace/cards/ranking/ranking.html"),
    part=HideablePart("ranking", in_page("the hypotheses and their ranking")),
    script="trace/cards/ranking/ranking.js",
    captions={"scores": scores_captions},
    payload={"ranking": _ranking},
    downloads={"ranking": in_page("ranking")},
)
