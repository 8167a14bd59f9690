"""Figures of the lab of one-hot rows and embeddings: the rows, and the gradient of the table."""

from __future__ import annotations

from collections.abc import Sequence

from demo.i18n import say
from demo.i18n.display import plotly_text
from demo.widgets.figures.attention import longest
from demo.widgets.figures.drawing.axis_title import CHARACTER_WIDTH
from demo.widgets.figures.drawing.builders import bar_trace, chart_layout, heatmap_trace, plain_axis
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
    axis = plain_axis(showgrid=False, fixedrange=True)
    layout = chart_layout(
        top + 16 + CELL * len(labels),
        (left, 16, top, 16),
        min_width=left + 16 + CELL * len(ids),
        xaxis={
            **axis,
            "side": "top",
            "tickangle": -60,
            "tickvals": list(range(len(ids))),
            "ticktext": list(ids),
            "title": {"text": say("id"), "standoff": 4},
        },
        yaxis={
            **axis,
            "tickvals": list(range(len(labels))),
            "ticktext": labels,
            "range": [len(labels) - 0.5, -0.5],
        },
    )
    return Figure([heatmap], layout)


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
    layout = chart_layout(
        260,
        (54, 16, 24, 24 + CHARACTER_WIDTH * longest(labels)),
        min_width=70 + BAR * len(labels),
        xaxis=plain_axis(
            fixedrange=True,
            showgrid=False,
            tickangle=-50,
            tickvals=list(range(len(labels))),
            ticktext=labels,
        ),
        yaxis=plain_axis(
            fixedrange=True,
            range=[0, 1.15 * max(lengths, default=0) or 1],
            title={"text": say("length of the gradient")},
        ),
    )
    return Figure([bars], layout)
