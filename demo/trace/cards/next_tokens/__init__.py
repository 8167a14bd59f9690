"""The model's prediction at a step, before the search chose."""

from __future__ import annotations

from demo.i18n import in_page
from demo.trace.trace_card import Card
from demo.widgets.captions.trace import step_caption
from demo.widgets.figures.trace_figure import HideablePart
from demo.widgets.view.assets import asset
from models.decoding.description import Family
from models.decoding.strategies import description_of, family
from models.decoding.trace import DecodingTrace

TRUNCATIONS = ("temperature", "top_k", "top_p", "min_p")


def _truncations(_: DecodingTrace) -> dict[str, list[str]]:
    """The settings that shape the distribution of each strategy that draws."""
    return {
        name: [setting for setting in description_of(name).settings if setting in TRUNCATIONS]
        for name in family(Family.DRAW)
    }


CARD = Card(
    name="next",
    position=50,
    html=asset("trace/cards/next_tokens/next_tokens.html"),
    part=HideablePart("next", in_page("the next tokens")),
    covers={"edit": ".tv-force, .tv-typed"},
    pane="left",
    title="Next token",
    script="trace/cards/next_tokens/next_tokens.js",
    captions={
        "step": lambda trace: [step_caption(trace, trace.path(item.node)) for item in trace.hypotheses]
    },
    payload={"truncations": _truncations},
)
