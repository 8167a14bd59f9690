"""The beam tree: every recorded candidate, joined to its parent, and its drawing.

Samples that begin alike share their beginning, and a count says how many they are.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from typing import Any
from unicodedata import east_asian_width

from demo.i18n import say
from demo.i18n.display import number_text, plotly_text
from demo.widgets.figures.drawing import chart_layout, plain_axis, scatter_trace
from demo.widgets.figures.figure import LIGHT, Figure
from demo.widgets.figures.tree_layout import best_of_group, same_prefix, tree_groups, tree_y_by_node
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


EDGE_WIDTHS = (0.8, 1.4, 2.4, 3.8, 5.6)  # pixels, by class of an edge
BEND = 0.42  # share of a column in which an edge stays level, under its parent's label
# Pixels between steps: at least, at most, and at most with numbers in the labels.
MIN_WIDTH, WIDE, ANNOTATED_WIDE = 54, 92, 132
CHARACTER_WIDTH, NODE_WIDTH = 6.3, 15  # pixels of a label, and beside it
PlotlyTrace = dict[str, Any]  # a trace as Figure takes it


def beam_tree_figure(tree: BeamTree) -> Figure:
    """Return the tree; a marker's `customdata` is a candidate's id, a trace's `meta` its meaning.

    The script that shows the figure writes the hover texts, which would be three quarters of its size.
    """
    row_height = 34 if tree.fullest <= 10 else 26 if tree.fullest <= DENSE_COLUMN else 17
    column = column_width(tree)
    height = 74 + row_height * (tree.highest - tree.lowest + 1.6)
    layout = chart_layout(
        max(240, round(height)),
        (12, 12, 54, 20),
        min_width=round(24 + column * (tree.steps + 1.2)),
        showlegend=False,
        dragmode="pan",
        xaxis=_step_axis(tree.steps),
        yaxis={"visible": False, "range": [tree.lowest - 0.8, tree.highest + 0.8]},
    )
    font_size = 11 if tree.fullest <= DENSE_COLUMN else 10
    data = [*_edge_traces(tree), *_node_traces(tree, font_size), *_group_traces(tree)]
    return Figure(data, layout)


def column_width(tree: BeamTree) -> float:
    """Return the pixels that a step needs so that its labels end before the next step, within bounds."""
    longest = max((_characters(unescape(node.label)) for node in tree.nodes), default=0)
    return min(
        max(NODE_WIDTH + CHARACTER_WIDTH * longest, MIN_WIDTH), ANNOTATED_WIDE if tree.annotated else WIDE
    )


def _characters(label: str) -> int:
    """Return the characters of a label; wide ones, as in Chinese, count twice."""
    return sum(2 if east_asian_width(character) in "FW" else 1 for character in label)


def _step_axis(steps: int) -> dict[str, object]:
    return plain_axis(
        say("step"),
        "right",
        standoff=6,
        ticks=(list(range(steps)), [str(step + 1) for step in range(steps)]),
        side="top",
        range=[ROOT_X - 0.4, steps - 0.2],  # a ring around the root has room
        showgrid=False,
    )


def _edge_traces(tree: BeamTree) -> Iterable[PlotlyTrace]:
    """Yield one trace per width and dash, with gaps: a trace per edge would be slow to draw."""
    for pruned in (True, False):
        for weight, width in enumerate(EDGE_WIDTHS):
            edges = [edge for edge in tree.edges if edge.pruned is pruned and edge.weight == weight]
            if not edges:
                continue
            xs: list[float | None] = []
            ys: list[float | None] = []
            for edge in edges:
                (x0, y0), (x1, y1) = edge.start, edge.end
                xs += [x0, round(x0 + BEND, 2), x1, None]
                ys += [y0, y0, y1, None]
            yield scatter_trace(
                "lines",
                x=xs,
                y=ys,
                meta="pruned" if pruned else "edge",
                hoverinfo="skip",
                opacity=0.5 if pruned else 1,
                line={
                    "width": width,
                    "color": LIGHT.muted if pruned else LIGHT.edge,
                    "dash": "4px,3px" if pruned else "solid",
                },
            )


def _node_traces(tree: BeamTree, font_size: int) -> Iterable[PlotlyTrace]:
    of = {status: [node for node in tree.nodes if node.status is status] for status in Status}
    yield {
        **_markers([ROOT_X], [ROOT_Y], "root", {"symbol": "square", "size": 8, "color": LIGHT.muted}),
        "hovertemplate": say("start: nothing generated yet") + "<extra></extra>",
    }
    if finished := of[Status.FINISHED]:
        # The outer ring is a separate trace: Plotly has no double ring.
        ring = {"symbol": "circle-open", "size": 17, "color": LIGHT.output, "line": {"width": 1.8}}
        xs, ys = [node.x for node in finished], [node.y for node in finished]
        yield {**_markers(xs, ys, "ring", ring), "hoverinfo": "skip"}
    filled = {"symbol": "circle", "size": 9, "color": LIGHT.output}
    edge = {"color": LIGHT.muted, "width": 1.5}
    hollow = {"symbol": "circle", "size": 8, "color": LIGHT.surface, "line": edge}
    for status, marker in ((Status.PRUNED, hollow), (Status.KEPT, filled), (Status.FINISHED, filled)):
        if nodes := of[status]:
            colour = LIGHT.muted if status is Status.PRUNED else LIGHT.text
            yield {
                **_markers([node.x for node in nodes], [node.y for node in nodes], status.value, marker),
                "mode": "markers+text",
                "text": [node.label for node in nodes],
                "customdata": [node.id for node in nodes],
                "textposition": "top right",
                "textfont": {"size": font_size, "color": colour},
                "hovertemplate": "%{hovertext}<extra></extra>",
            }


def _group_traces(tree: BeamTree) -> Iterable[PlotlyTrace]:
    """Yield the name of each group, left of its first step."""
    if tree.groups:
        yield scatter_trace(
            "text",
            x=[ROOT_X] * len(tree.groups),
            # The first one stands above the root, which is level with it.
            y=[group.y + (0.5 if index == 0 else 0.0) for index, group in enumerate(tree.groups)],
            meta="group",
            text=[group.label for group in tree.groups],
            textposition="middle right",
            textfont={"size": 11, "color": LIGHT.muted},
            hoverinfo="skip",
            cliponaxis=False,
        )


def _markers(xs: Sequence[float], ys: Sequence[float], meaning: str, marker: PlotlyTrace) -> PlotlyTrace:
    return scatter_trace("markers", x=xs, y=ys, meta=meaning, marker=marker, cliponaxis=False)
