"""Panels over one axis of beam widths, a panel for each quantity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10
from typing import Any

from demo.i18n import later, say
from demo.widgets.figures.drawing import chart_layout, error_bars, note, plain_axis, scatter_trace
from demo.widgets.figures.figure import LIGHT, Figure

HEADING = later("At every beam width")
LENGTH = later("tokens of an output")
PANEL_HEIGHT, TITLE_HEIGHT, AXIS_HEIGHT = 78, 26, 52  # pixels
MIN_CHART_WIDTH = 280  # pixels
HEADING_FONT = {"size": 13, "color": LIGHT.text}
AXIS_PADDING = 0.07  # share of the axis beyond the outermost widths


@dataclass(frozen=True)
class Panel:
    """One quantity at W widths."""

    title: str
    values: Sequence[float | None]  # (W)
    low: Sequence[float] = ()  # (W), lower ends of intervals, if there are any
    high: Sequence[float] = ()
    marked: Sequence[bool] = ()  # (W), drawn as orange crosses
    level: float | None = None  # the value of the references, a dashed line
    digits: int = 2
    from_zero: bool = False


def width_figure(widths: Sequence[int], panels: Sequence[Panel]) -> Figure:
    """Return the panels below one another, the first on top; widths double from tick to tick."""
    height = (PANEL_HEIGHT + TITLE_HEIGHT) * len(panels) + AXIS_HEIGHT
    plots_height = height - AXIS_HEIGHT
    traces: list[dict[str, Any]] = []
    notes: list[dict[str, Any]] = []
    ends = [log10(widths[0]), log10(widths[-1])]
    room = AXIS_PADDING * (ends[1] - ends[0])
    layout: dict[str, Any] = chart_layout(
        height,
        (56, 16, 0, AXIS_HEIGHT),
        min_width=MIN_CHART_WIDTH,
        font_size=13,
        showlegend=False,
        hovermode="x",
        xaxis=plain_axis(
            say("beam width"),
            "right",
            type="log",
            range=[ends[0] - room, ends[1] + room],
            tickvals=list(widths),
            ticktext=[str(width) for width in widths],
            anchor=f"y{len(panels)}" if len(panels) > 1 else "y",
            fixedrange=True,
        ),
    )
    for index, panel in enumerate(panels):
        axis = f"y{index + 1}" if index else "y"
        top = 1 - (index * (PANEL_HEIGHT + TITLE_HEIGHT) + TITLE_HEIGHT) / plots_height
        layout[axis.replace("y", "yaxis")] = plain_axis(
            domain=[max(0.0, top - PANEL_HEIGHT / plots_height), top],
            rangemode="tozero" if panel.from_zero else "normal",
            nticks=4,
            fixedrange=True,
        )
        traces.append(_line(widths, panel, axis))
        notes.append(note(panel.title, 0, top, "left bottom", paper="xy", font=HEADING_FONT))
        if panel.level is not None:
            traces.append(_level(widths, panel, axis))
    return Figure(traces, {**layout, "annotations": notes})


def _line(widths: Sequence[int], panel: Panel, axis: str) -> dict[str, Any]:
    marked = panel.marked or [False] * len(widths)
    trace: dict[str, Any] = scatter_trace(
        "lines+markers",
        cliponaxis=False,
        x=list(widths),
        y=list(panel.values),
        yaxis=axis,
        line={"color": LIGHT.output, "width": 2},
        marker={
            "opacity": 1,
            "size": [12 if worse else 7 for worse in marked],
            "symbol": ["x" if worse else "circle" for worse in marked],
            "color": [LIGHT.attention if worse else LIGHT.output for worse in marked],
        },
        hover=f"%{{y:.{panel.digits}f}}",
    )
    if panel.low:
        values, intervals = (value or 0 for value in panel.values), zip(panel.low, panel.high, strict=True)
        trace["error_y"] = error_bars(values, intervals, color=LIGHT.muted, thickness=1.4, width=4)
    return trace


def _level(widths: Sequence[int], panel: Panel, axis: str) -> dict[str, Any]:
    return scatter_trace(
        "lines",
        x=[widths[0], widths[-1]],
        y=[panel.level, panel.level],
        yaxis=axis,
        line={"color": LIGHT.source, "width": 1.5, "dash": "6px,3px"},
        hoverinfo="skip",
    )
