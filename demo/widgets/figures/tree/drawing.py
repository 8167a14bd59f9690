"""A beam tree as a Plotly figure: edges by class, nodes by status, labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import unescape
from typing import Any
from unicodedata import east_asian_width

from demo.i18n import say
from demo.widgets.figures.drawing.axis_title import axis_title
from demo.widgets.figures.drawing.builders import chart_layout, plain_axis, scatter_trace
from demo.widgets.figures.drawing.figure import Figure
from demo.widgets.figures.drawing.palette import LIGHT
from demo.widgets.figures.tree.beam_tree import DENSE_COLUMN, ROOT_X, ROOT_Y, BeamTree
from models.decoding.status import Status

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
        ticks=(list(range(steps)), [str(step + 1) for step in range(steps)]),
        title=axis_title(say("step"), "right", standoff=6),
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
