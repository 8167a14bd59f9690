"""Figures of the attention lab: a regression with its weights, weights as bars and as a heatmap."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from demo.i18n import say
from demo.i18n.display import number_text, plotly_text
from demo.labs.lab_layout import grid_figure, lab_layout, labelled_bars
from demo.widgets.figures.attention import longest
from demo.widgets.figures.drawing import (
    CHARACTER_WIDTH,
    bar_trace,
    heatmap_trace,
    labelled_axis,
    legend_above,
    level_line,
    scatter_trace,
    upright_line,
)
from demo.widgets.figures.figure import LIGHT, Figure

DIGITS = 4  # digits of drawn values
CELL, ROW, MARGINS, AXIS = 20, 16, 24, 30  # pixels
BAR = 0.012  # share of the picture's width
COLOURS = (LIGHT.attention, LIGHT.output, LIGHT.edit, LIGHT.source)


def regression_figure(
    parts: tuple[Sequence[float], Sequence[float], Sequence[float]],
    curve: tuple[Sequence[float], Sequence[float]],
    query_and_answer: tuple[float, float],
) -> Figure:
    """Draw N pairs, their weights, the answer to every query and the answer to the reader's query.

    Where there is no answer the curve is broken.
    """
    keys, values, weights = map(list, parts)
    query, answer = query_and_answer
    points = scatter_trace(
        "markers",
        name=say("keys and values"),
        x=keys,
        y=values,
        marker={"color": LIGHT.source, "size": 8},
        hover="k = %{x}, v = %{y}",
    )
    line = {
        **points,
        "mode": "lines",
        "name": say("answer to each query"),
        "x": [round(x, DIGITS + 2) for x in curve[0]],
        "y": [None if math.isnan(item) else round(item, DIGITS) for item in curve[1]],
        "line": {"color": LIGHT.output, "width": 2},
        "hovertemplate": "%{x}: %{y:.2f}<extra></extra>",
    }
    traces = [points, line]
    if not math.isnan(answer):
        name = say("your query: {answer}", answer=number_text(answer))
        marker = {"color": LIGHT.attention, "size": 12, "symbol": "diamond"}
        traces.append({**points, "name": name, "x": [query], "y": [answer], "marker": marker})
    low, high = curve[0][0], curve[0][-1]
    bars = bar_trace(
        x=keys,
        y=[round(weight, DIGITS) for weight in weights],
        width=[BAR * (high - low)] * len(keys),
        marker={"color": LIGHT.attention},
        yaxis="y2",
        showlegend=False,
        hover="k = %{x}: %{y:.3f}",
    )
    return Figure([*traces, bars], _panels((low, high), query, max(weights)))


def _panels(ends: tuple[float, float], query: float, largest: float) -> dict[str, Any]:
    """Return the layout: values above, weights below, a line through both at the query."""
    across = {"title": {"text": say("key, query")}, "range": list(ends), "anchor": "y2"}
    shapes = [upright_line(query, LIGHT.attention)]
    layout = lab_layout(across, {}, 340, height=440, top=56, legend=legend_above(1.04), shapes=shapes)
    upright = layout["yaxis"]
    layout["yaxis"] = {**upright, "domain": [0.42, 1], "title": {"text": say("value")}}
    layout["yaxis2"] = {
        **upright,
        "domain": [0, 0.3],
        "title": {"text": say("weight")},
        "range": [0, 1.1 * largest or 1],
        "nticks": 4,
    }
    return layout


def weights_figure(weights: Sequence[Sequence[float]], queries: Sequence[str], keys: Sequence[str]) -> Figure:
    """Draw Q lines of N weights: rows are queries, columns keys; a row without weights is empty."""
    down, across = ([plotly_text(label, 10) for label in labels] for labels in (queries, keys))
    left = MARGINS + CHARACTER_WIDTH * longest(down) + AXIS
    top = MARGINS + CHARACTER_WIDTH * longest(across) + AXIS
    rows = [[round(weight, DIGITS) for weight in row] if any(row) else [None] * len(row) for row in weights]
    ends = (0, max(0.1, *map(max, weights)))
    heatmap = heatmap_trace(rows, ends, gap=1, hoverongaps=False, hover="%{y} → %{x}: %{z:.3f}")
    return grid_figure(
        heatmap,
        (across, {"tickangle": -60, "title": {"text": say("key"), "standoff": 4}}),
        (down, {"title": {"text": say("query"), "standoff": 4}}),
        (CELL * len(across), max(ROW * len(down), 120)),
        (left, top),
    )


def bars_figure(keys: Sequence[str], weights: Sequence[float]) -> Figure:
    """Draw the weight of each key, 0 to 1."""
    labels = [plotly_text(key, 10) for key in keys]
    bars = labelled_bars(labels, [round(weight, DIGITS) for weight in weights], LIGHT.attention)
    across = labelled_axis(labels, tickangle=-60 if longest(labels) > 3 else 0)
    upright = {"title": {"text": say("weight")}, "range": [0, 1]}
    return Figure([bars], lab_layout(across, upright, max(320, 70 + CELL * len(keys))))


def entropy_figure(lines: Mapping[str, Sequence[float]], widths: Sequence[int], most: float) -> Figure:
    """Draw a line for each score, and a dashed one for equal weights."""
    traces = [
        scatter_trace(
            "lines+markers",
            name=name,
            x=list(range(len(widths))),
            y=[round(value, DIGITS) for value in values],
            line={"color": colour, "dash": dash},
            hover="%{y:.2f}",
        )
        for (name, values), colour, dash in zip(
            lines.items(), COLOURS, ("solid", "solid", "5px,3px", "solid"), strict=True
        )
    ]
    across = labelled_axis([str(width) for width in widths], title={"text": "d"})
    upright = {"title": {"text": say("entropy, nats")}, "range": [0, 1.1 * most]}
    shapes = [level_line(most)]
    layout = lab_layout(across, upright, 320, height=320, top=56, legend=legend_above(), shapes=shapes)
    return Figure(traces, layout)
