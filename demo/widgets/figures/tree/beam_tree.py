"""The beam tree: every recorded candidate, joined to its parent.

Samples that begin alike share their beginning, and a count says how many they are.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from demo.i18n.display import number_text, plotly_text
from demo.widgets.figures.tree.layout import best_of_group, same_prefix, tree_groups, tree_y_by_node
from models.decoding.status import Status
from models.decoding.strategies import description_of
from models.decoding.trace import BeamNode, DecodingTrace

CLASS_BOUNDS = (0.02, 0.1, 0.3, 0.6)  # shares of the best prefix, from which the edge classes 1 to 4 begin
DENSE_COLUMN = 14  # candidates in a column beyond which pruned ones lose their labels
NEGLIGIBLE_NATS = 0.005  # nats: what is shown as 0.00
NO_PREFIX = -1e9  # nats: less than any prefix has, and a number to subtract
ROOT_X, ROOT_Y = -1.0, 0.0
BELOW_BEST = 0.375  # rows between the best path and what is below it, in a dense tree: its line is wide


@dataclass(frozen=True)
class PlacedNode:
    """A candidate, or the first of several samples with its prefix, and its coordinates."""

    id: int
    x: int  # step
    y: float
    label: str  # escaped; empty where the column is too full
    status: Status


@dataclass(frozen=True)
class TreeGroup:
    """One group of a diverse beam."""

    label: str
    y: float  # the height of its best path


@dataclass(frozen=True)
class TreeEdge:
    """The line from a parent to its extension."""

    parent: int | None  # None: the empty prefix, at (ROOT_X, ROOT_Y)
    child: int
    start: tuple[float, float]
    end: tuple[float, float]
    weight: int  # class of the prefix's probability beside the best one, from 0
    pruned: bool


@dataclass(frozen=True)
class BeamTree:
    """The layout of a whole search."""

    nodes: tuple[PlacedNode, ...]
    edges: tuple[TreeEdge, ...]
    steps: int
    fullest: int  # candidates in the fullest column
    lowest: float  # least y
    highest: float  # greatest y
    groups: tuple[TreeGroup, ...] = ()  # empty unless there are several
    annotated: bool = False  # True: labels carry a penalty or a perturbed value


def beam_tree(trace: DecodingTrace) -> BeamTree:
    """Lay out every candidate of a trace."""
    best, same = _best_by_step(trace), same_prefix(trace)
    counts = Counter(same.values())
    nodes_shown = [trace.nodes[node] for node in counts]
    fullest = max(Counter(node.step for node in nodes_shown).values(), default=0)
    y_by_node = {
        id: y - BELOW_BEST if y < 0 and fullest > DENSE_COLUMN else y
        for id, y in tree_y_by_node(trace).items()
    }
    nodes, edges = [], []
    for node in nodes_shown:
        pruned = node.status is Status.PRUNED
        label = "" if pruned and fullest > DENSE_COLUMN else _label(trace, node, counts[node.id])
        nodes.append(PlacedNode(node.id, node.step, y_by_node[node.id], label, node.status))
        start = (ROOT_X, ROOT_Y) if node.parent is None else (float(node.step - 1), y_by_node[node.parent])
        end = (float(node.step), y_by_node[node.id])
        edges.append(
            TreeEdge(node.parent, node.id, start, end, edge_class(node.cumulative - best[node.step]), pruned)
        )
    all_y = list(y_by_node.values()) or [0.0]
    return BeamTree(
        nodes=tuple(nodes),
        edges=tuple(edges),
        steps=len(trace.steps),
        fullest=fullest,
        lowest=min(all_y),
        highest=max(all_y),
        groups=_groups(trace, y_by_node),
        annotated=any(node.rank_score is not None for node in trace.nodes.values()),
    )


def _groups(trace: DecodingTrace, y_by_node: Mapping[int, float]) -> tuple[TreeGroup, ...]:
    groups = tree_groups(trace)
    if len(groups) < 2:
        return ()
    return tuple(
        TreeGroup(f"group {group + 1}", y_by_node[best_of_group(trace, group).id]) for group in groups
    )


def _label(trace: DecodingTrace, node: BeamNode, count: int) -> str:
    times = f" ×{count}" if count > 1 else ""
    return plotly_text(node.token) + times + _remark(trace, node)


def _remark(trace: DecodingTrace, node: BeamNode) -> str:
    """Return in brackets the value that ranked a candidate, if that is not its log-probability."""
    if node.rank_score is None or node.status is Status.PRUNED:
        return ""
    if sign := description_of(trace.strategy).rank_symbol:
        return f" ({sign} {number_text(node.rank_score)})"
    penalty = step_penalty(trace, node)
    return f" ({number_text(-penalty)})" if penalty > NEGLIGIBLE_NATS else ""


def step_penalty(trace: DecodingTrace, node: BeamNode) -> float:
    """Return the nats that a diverse beam subtracted from the rank scores of this step."""

    def penalty(other: BeamNode) -> float:
        return 0.0 if other.rank_score is None else other.cumulative - other.rank_score

    return penalty(node) - (0.0 if node.parent is None else penalty(trace.nodes[node.parent]))


def edge_class(log_share: float) -> int:
    """Return the width class of a prefix from the log of its probability relative to its step's best."""
    return bisect_right(CLASS_BOUNDS, math.exp(log_share))


def _best_by_step(trace: DecodingTrace) -> list[float]:
    """Return the greatest log-probability of a prefix at each step, including those that ended earlier."""
    result, ended = [], NO_PREFIX
    for step in trace:
        finished = (node.cumulative for node in step.nodes if node.status is Status.FINISHED)
        result.append(max((node.cumulative for node in step.nodes), default=ended))
        result[-1] = max(result[-1], ended, NO_PREFIX)
        ended = max([ended, *finished])
    return result
