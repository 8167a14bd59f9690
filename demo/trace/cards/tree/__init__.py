"""The whole search as a tree."""

from __future__ import annotations

from typing import Any

from demo.i18n import in_page
from demo.trace.trace_card import PROBABILITIES, Card
from demo.widgets.captions.search import exploration_caption, lost_output_caption, tree_caption
from demo.widgets.figures.beam_tree import BEND, ROOT_X, ROOT_Y, beam_tree, beam_tree_figure
from demo.widgets.figures.lost_output import lost_output, path_of
from demo.widgets.figures.trace_figure import HideablePart
from demo.widgets.figures.tree_layout import best_node, same_prefix
from demo.widgets.view.assets import asset
from models.decoding.record.recorded_settings import greedy_output
from models.decoding.trace import DecodingTrace


def _geometry(trace: DecodingTrace) -> dict[str, Any]:
    """Return the root, the bend of edges, merged candidates, that of a lost output, and greedy's path."""
    same = {node: first for node, first in same_prefix(trace).items() if node != first}
    lost = lost_output(trace)
    lost_node = lost.node.id if lost and lost.node else None
    greedy = greedy_output(trace)
    return {
        "root": [ROOT_X, ROOT_Y],
        "bend": BEND,
        "same": list(same.items()),
        "lost": lost_node,
        "greedy": path_of(trace, greedy.token_ids) if greedy else (),
    }


CARD = Card(
    name="tree",
    position=60,
    pane="centre",
    title="Tree",
    html=asset("trace/cards/tree/tree.html"),
    part=HideablePart("tree", in_page("the search tree")),
    hidden_by=(),
    covers={PROBABILITIES: ".tv-thicker, [data-caption=tree], [data-caption=lost]"},
    script="trace/cards/tree/tree.js",
    figures={"tree": lambda trace: beam_tree_figure(beam_tree(trace)) if best_node(trace) else None},
    captions={"lost": lost_output_caption, "tree": tree_caption, "exploration": exploration_caption},
    payload={"tree": _geometry},
    downloads={"tree": in_page("tree")},
)
