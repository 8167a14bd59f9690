"""The chart of gradient norms over steps, on a logarithmic axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from demo.i18n import say
from demo.i18n.display import short_text
from demo.inspect.time.over_time import MIN_COLUMN, RIGHT, TOP, StepAxis
from demo.widgets.figures.drawing import (
    axis_title,
    chart_layout,
    level_line,
    log_ticks,
    plain_axis,
    scatter_trace,
)
from demo.widgets.figures.figure import LIGHT, Figure

CHART_HEIGHT, LEFT, BOTTOM = 300, 72, 56  # pixels of the plot and around it
NORM_RANGE_FACTOR = 1.6  # times the largest and the smallest norm, beyond them
LINE_DASHES = ("5px,3px", "2px,3px", "9px,3px,2px,3px", "12px,4px")


@dataclass(frozen=True)
class NormCurve:
    """The norm of the state after each token, for one network or for one direction of its encoder."""

    name: str
    source: Sequence[float]  # S norms, in the order of the text; empty if the encoder is not recurrent
    output: Sequence[float]  # T norms, up to the explained token; empty for a backward direction
    is_current: bool = True  # whether it belongs to the open checkpoint
    backward: bool = False  # True: of the direction that reads the source from its end


def norms_figure(
    steps: StepAxis, curves: Sequence[NormCurve], clipped: NormCurve, threshold: float
) -> Figure:
    """The curves, the clipped curve, and the threshold as a horizontal line.

    Curves of networks with other tokens are aligned at the line between source and output.
    """
    edge = len(steps.source)
    others = [curve for curve in curves if not curve.is_current]
    dashes = {curve.name: LINE_DASHES[index % len(LINE_DASHES)] for index, curve in enumerate(others)}
    traces = [
        trace
        for curve in curves
        for trace in _lines(steps, curve, _style(curve, dashes.get(curve.name, "")), edge)
    ]
    cut = {"color": LIGHT.edit, "width": 2, "dash": "3px,3px"}
    traces += _lines(steps, clipped, cut, edge)
    positions = [x for trace in traces for x in trace["x"]]
    low, high = _range(traces, threshold)
    ticks = log_ticks(low, high)
    layout = chart_layout(
        TOP + CHART_HEIGHT + BOTTOM,
        (LEFT, RIGHT, TOP, BOTTOM),
        min_width=LEFT + RIGHT + MIN_COLUMN * len(steps.labels),
        hovermode="closest",
        legend={"orientation": "h", "x": 0, "y": -0.04, "yanchor": "top", "font": {"color": LIGHT.muted}},
        xaxis={
            **steps.axis(),
            "range": [min([0, *positions]) - 0.5, max([len(steps.labels) - 1, *positions]) + 0.5],
        },
        yaxis=plain_axis(
            ticks=(ticks, [short_text(tick, 6) for tick in ticks]),
            type="log",
            range=[math.log10(low), math.log10(high)],
            title=axis_title(say("norm of the gradient"), "up"),
            fixedrange=True,
        ),
        shapes=[*steps.shapes(), level_line(threshold, color=LIGHT.edit, dash="solid", width=1.5)],
        annotations=[*steps.titles(), _threshold_label(threshold)],
    )
    return Figure(traces, layout)


def _lines(steps: StepAxis, curve: NormCurve, style: dict[str, Any], edge: int) -> list[dict[str, Any]]:
    """Up to two lines with one name, for source and output: not every network connects the two."""
    parts = [(edge - len(curve.source), curve.source), (edge, curve.output)]
    places = [(range(first, first + len(values)), values) for first, values in parts if values]
    return [
        scatter_trace(
            "lines+markers",
            name=curve.name,
            legendgroup=curve.name,
            showlegend=number == 0,
            x=list(indices),
            y=[float(f"{value:.4g}") if value > 0 else None for value in values],
            text=[_label(steps, curve, index) for index in indices],
            customdata=[steps.marks[index] if curve.is_current else [] for index in indices],
            hover=f"%{{text}}<br>{curve.name}: %{{y:.3g}}",
            line=style,
            marker={
                "size": 5,
                "color": style["color"],
                "symbol": "circle-open" if curve.backward else "circle",
            },
        )
        for number, (indices, values) in enumerate(places)
    ]


def _label(steps: StepAxis, curve: NormCurve, index: int) -> str:
    """The token at an index; for another network, whose tokens may differ, the number of steps back."""
    if curve.is_current:
        return steps.labels[index]
    back = len(steps.source) + len(curve.output) - 1 - index
    return say("{count} steps back", count=back)


def _style(curve: NormCurve, dash: str) -> dict[str, Any]:
    if not curve.is_current:
        return {"color": LIGHT.muted, "width": 2, "dash": dash}
    return {"color": LIGHT.source if curve.backward else LIGHT.output, "width": 3}


def _range(traces: Sequence[dict[str, Any]], threshold: float) -> tuple[float, float]:
    """The range of the axis, with all norms and the threshold."""
    values = [threshold, *(value for trace in traces for value in trace["y"] if value)]
    return min(values) / NORM_RANGE_FACTOR, max(values) * NORM_RANGE_FACTOR


def _threshold_label(threshold: float) -> dict[str, Any]:
    edge = {"xref": "paper", "x": 1, "xanchor": "right", "yref": "y", "yanchor": "bottom", "showarrow": False}
    label = {"text": f"θ = {short_text(threshold)}", "font": {"color": LIGHT.edit}}
    return {**edge, **label, "y": math.log10(threshold)}  # an annotation stands at the logarithm
