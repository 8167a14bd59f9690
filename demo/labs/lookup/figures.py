"""Figures of the lab of one-hot rows and embeddings: the rows, and the gradient of the table."""

from __future__ import annotations

from collections.abc import Sequence

from demo.i18n import say
from demo.i18n.display import plotly_text
from demo.labs.lab_layout import grid_figure, lab_layout, labelled_axis
from demo.widgets.figures.attention import longest
from demo.widgets.figures.drawing.axis_title import CHARACTER_WIDTH
from demo.widgets.figures.drawing.builders import bar_trace, heatmap_trace
from demo.widgets.figures.drawing.figure import Figure
from demo.widgets.figures.drawing.palette import LIGHT

CELL, MARGIN = 24, 26  # pixels
BAR = 46


def one_hot_figure(tokens: Sequence[str], ids: Sequence[str], cells: Sequence[Sequence[int]]) -> Figure:
    """Draw a row for each token and a column for each id that occurs; all other columns are 0."""
    labels = [plotly_text(token) for token in tokens]
    heatmap = heatmap_trace(
        cells,
        gap=1,
        zmin=0,
        zmax=1,
        colorscale=[(0.0, LIGHT.attention_none), (1.0, LIGHT.attention)],
        hover="%{y} → %{x}: %{z}",
    )
    left, top = MARGIN + CHARACTER_WIDTH * longest(labels), 2 * MARGIN + CHARACTER_WIDTH * longest(ids)
    return grid_figure(
        heatmap,
        (ids, {"tickangle": -60, "title": {"text": say("id"), "standoff": 4}}),
        (labels, {}),
        (CELL * len(ids), CELL * len(labels)),
        (left, top),
    )


def gradient_figure(tokens: Sequence[str], lengths: Sequence[float], counts: Sequence[int]) -> Figure:
    """Draw a bar for each row that was looked up, with its count; the last is padding."""
    labels = [plotly_text(token) for token in tokens]
    bars = bar_trace(
        x=list(range(len(labels))),
        y=[round(length, 4) for length in lengths],
        marker={"color": [*[LIGHT.source] * (len(labels) - 1), LIGHT.muted]},
        text=[f"{count}×" for count in counts],
        textposition="outside",
        cliponaxis=False,
        hovertext=labels,
        hover="%{hovertext}: %{y:.3f}",
    )
    upright = {
        "range": [0, 1.15 * max(lengths, default=0) or 1],
        "title": {"text": say("length of the gradient")},
    }
    bottom = 24 + CHARACTER_WIDTH * longest(labels)
    across = labelled_axis(labels, tickangle=-50)
    width = 70 + BAR * len(labels)
    return Figure([bars], lab_layout(across, upright, width, height=260, top=24, bottom=bottom))
