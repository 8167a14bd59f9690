"""Figures of the lab of positions and masks: attention under a mask, encodings, losses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from demo.i18n import say
from demo.i18n.display import plotly_text
from demo.labs.lab_layout import grid_figure, lab_layout, labelled_axis
from demo.widgets.figures.attention import longest
from demo.widgets.figures.drawing import (
    CHARACTER_WIDTH,
    axis_title,
    bar_trace,
    heatmap_trace,
    legend_above,
    level_line,
    scatter_trace,
)
from demo.widgets.figures.figure import LIGHT, Figure, attention_ramp

if TYPE_CHECKING:
    from models.labs.masks import CopyingResult

CELL, MARGINS = 26, 40  # pixels
DIGITS = 3  # digits of drawn values
COLOURS = (LIGHT.source, LIGHT.output, LIGHT.edit)
SMOOTHING_STEPS = 10


def seen_figure(
    words: Sequence[str], weights: Sequence[Sequence[float]], allowed: Sequence[Sequence[bool]]
) -> Figure:
    """Draw the weights with which rows look at columns; forbidden cells are empty."""
    labels = [plotly_text(word) for word in words]
    cells = [
        [round(weight, DIGITS) if may else None for weight, may in zip(row, line, strict=True)]
        for row, line in zip(weights, allowed, strict=True)
    ]
    heatmap = _heatmap(cells, gap=1, zmin=0, zmax=1, colorscale=attention_ramp(LIGHT))
    margin, width = MARGINS + CHARACTER_WIDTH * longest(labels), CELL * len(words)
    return grid_figure(
        heatmap,
        (labels, {"tickangle": -50, "title": axis_title(say("looked at"), "right")}),
        (labels, {"title": axis_title(say("looks"), "down")}),
        (width, max(260 - margin - 16, width)),
        (margin, margin),
    )


def bars_figure(words: Sequence[str], changes: Sequence[float], changed: int) -> Figure:
    """Draw how far each output moves; the changed word has another colour."""
    labels = [plotly_text(word) for word in words]
    bars = bar_trace(
        x=list(range(len(words))),
        y=[round(change, DIGITS) for change in changes],
        marker={"color": [LIGHT.edit if index == changed else LIGHT.output for index in range(len(words))]},
        hovertext=labels,
        hover="%{hovertext}: %{y:.3f}",
    )
    return Figure([bars], lab_layout(labelled_axis(labels), {"title": {"text": say("largest change")}}, 320))


def encoding_figure(encoding: Sequence[Sequence[float]]) -> Figure:
    """Draw a line for each position, a column for each dimension."""
    return _signed_figure(encoding, say("dimension"), say("position"))


def products_figure(products: Sequence[Sequence[float]]) -> Figure:
    """Draw the product of each pair of positions; that of a position with itself is 1."""
    return _signed_figure(products, say("position"), say("position"))


def losses_figure(results: Mapping[str, CopyingResult], steps: int, chance: float) -> Figure:
    """Draw two curves for each trained mask, the copy's in bold, and a level line at guessing."""
    lines = [
        scatter_trace(
            "lines",
            name=f"{name}, {what}",
            x=list(range(1, len(losses) + 1)),
            y=[round(loss, DIGITS) for loss in _smooth(losses)],
            line={"color": colour, "width": width, "dash": dash},
            hover="%{y:.2f}",
        )
        for (name, item), colour in zip(results.items(), COLOURS, strict=False)
        for what, losses, width, dash in (
            (say("random letters"), item.string, 1.5, "3px,3px"),
            (say("the copy"), item.copy, 3, "solid"),
        )
    ]
    top = 20 + 20 * max(1, len(lines))
    layout = lab_layout(
        {"title": {"text": say("step")}, "range": [0, steps]},
        {"title": {"text": say("loss (nats)")}, "range": [0, 2.7]},
        340,
        height=240 + top,
        top=top,
        legend=legend_above(),
        shapes=[level_line(chance)],
    )
    return Figure(lines, layout)


def _smooth(losses: Sequence[float]) -> list[float]:
    """Return the mean of the last SMOOTHING_STEPS steps at each step."""
    parts = (losses[max(0, index + 1 - SMOOTHING_STEPS) : index + 1] for index in range(len(losses)))
    return [sum(part) / len(part) for part in parts]


def _signed_figure(cells: Sequence[Sequence[float]], across: str, down: str) -> Figure:
    colours = [(0.0, LIGHT.output), (0.5, LIGHT.surface), (1.0, LIGHT.attention)]
    rounded = [[round(value, DIGITS) for value in row] for row in cells]
    heatmap = _heatmap(rounded, zmin=-1, zmax=1, colorscale=colours)
    upright = {"title": {"text": down}, "autorange": "reversed"}
    return Figure([heatmap], lab_layout({"title": {"text": across}}, upright, 320, height=340))


def _heatmap(cells: Sequence[Sequence[float | None]], **fields: Any) -> dict[str, Any]:
    return heatmap_trace(cells, hoverongaps=False, hover="%{y} → %{x}: %{z:.3f}", **fields)
