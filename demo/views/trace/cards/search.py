"""The whole search: its tree, and the candidates of a step."""

from __future__ import annotations

from typing import Any

from demo.captions.search import exploration_caption, tree_caption
from demo.figures.beam_tree import BEND, ROOT_X, ROOT_Y, beam_tree, beam_tree_figure
from demo.figures.trace_figure import Part
from demo.figures.tree_layout import best_node
from demo.i18n import in_page
from demo.views.shared.assets import asset
from demo.views.trace.trace_card import PROBABILITIES, Card
from models.decoding.trace import DecodingTrace

CANDIDATES = ".tv-candidates-head, .tv-candidates"


def _tree(trace: DecodingTrace) -> Any:
    return None if best_node(trace) is None else beam_tree_figure(beam_tree(trace))


def _geometry(_: DecodingTrace) -> dict[str, Any]:
    """By which the chosen path is drawn over the tree's own edges."""
    return {"root": [ROOT_X, ROOT_Y], "bend": BEND}


CARD = Card(
    name="tree",
    place=70,
    html=asset("trace/cards/search.html"),
    hidden_by=(),
    parts=(
        Part("tree", in_page("the search tree")),
        Part("candidates", in_page("the candidates of a step")),
    ),
    covers={
        "tree": ".tv-tree-scroll, .tv-legend, .tv-tree-card .tv-toggle, [data-caption=tree]",
        "candidates": CANDIDATES,
        PROBABILITIES: f"{CANDIDATES}, .tv-thicker, [data-caption=tree]",
        "edit": ".tv-anew",
    },
    empty_without=(("tree", "candidates"), ("tree", PROBABILITIES)),
    script="trace/cards/search.js",
    figures={"tree": _tree},
    captions={"tree": tree_caption, "exploration": exploration_caption},
    payload={"tree": _geometry},
    downloads={"tree": in_page("tree")},
)
