"""Curves of a running training over its updates, with a level to compare them with."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from demo.i18n import say
from demo.widgets.figures.drawing import (
    chart_layout,
    legend_above,
    level_line,
    number_ticks,
    plain_axis,
    scatter_trace,
)
from demo.widgets.figures.figure import Figure

CHART_HEIGHT, CHART_WIDTH = 260, 320  # pixels
TICK_RANGE_FACTOR = 1.3  # times the extreme values, up to which there are ticks
MIN_AXIS_RATIO = 10.0  # times the lower end, up to which the axis goes at least
MANY_DECADES = 2.5  # decades
MAX_TICKS = 6
MAX_DRAWN_VALUE = 1e30  # above it nothing is drawn: on the way to infinity all else would be flat


@dataclass(frozen=True)
class LiveCurve:
    """One curve of a running training."""

    name: str
    steps: Sequence[int]
    values: Sequence[float]
    colour: str
    marked: bool = False  # each value by a point, for few of them
    width: float = 1.2


@dataclass(frozen=True)
class Level:
    """A line across the plot, such as a threshold or the result of guessing."""

    value: float
    dash: str


def live_figure(
    curves: Sequence[LiveCurve], title: str, updates: int, level: Level | None = None, log: bool = True
) -> Figure:
    """Return the chart; `title` is that of the y axis, and the x axis ends at `updates`."""
    upright: dict[str, Any] = {"type": "log", **_ticks(curves, level), "exponentformat": "power"}
    layout: dict[str, Any] = chart_layout(
        CHART_HEIGHT,
        (58, 24, 34, 42),
        min_width=CHART_WIDTH,
        legend=legend_above(),
        showlegend=True,
        xaxis=plain_axis(fixedrange=True, title={"text": say("update")}, range=[0, updates]),
        yaxis=plain_axis(fixedrange=True, **(upright if log else {}), title={"text": title}),
    )
    if level is not None:
        layout["shapes"] = [level_line(level.value, dash=level.dash, width=1.4)]
    return Figure([_curve_trace(curve) for curve in curves], layout)


def _ticks(curves: Sequence[LiveCurve], level: Level | None) -> dict[str, Any]:
    """Return ticks at round numbers, or at whole decades if there are many of them."""
    values = [value for curve in curves for value in curve.values if 0 < value < MAX_DRAWN_VALUE]
    values += [level.value] if level is not None else []
    decades = math.log10(max(values) / min(values)) if values else 0.0
    if decades >= MANY_DECADES:
        return {"dtick": math.ceil(decades / MAX_TICKS)}
    low, high = (min(values), max(values)) if values else (1.0, 10.0)
    # Before the training there may be one value: Plotly would choose a range in which all ticks are one spot.
    wider = max(TICK_RANGE_FACTOR, math.sqrt(MIN_AXIS_RATIO / (high / low)))
    low, high = low / wider, high * wider
    return {**number_ticks(low, high), "range": [math.log10(low), math.log10(high)]}


def _curve_trace(curve: LiveCurve) -> dict[str, Any]:
    return scatter_trace(
        "lines+markers" if curve.marked else "lines",
        name=curve.name,
        x=list(curve.steps),
        y=[value if value < MAX_DRAWN_VALUE else None for value in curve.values],
        line={"color": curve.colour, "width": curve.width},
        hover=f"{curve.name}: %{{y:.3~g}}",
    )
