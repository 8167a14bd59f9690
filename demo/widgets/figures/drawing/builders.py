"""Builders of the parts of a Plotly figure: traces, a layout, axes, a legend, lines across the plot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from demo.widgets.figures.drawing.palette import LIGHT


def scatter_trace(mode: str, **fields: Any) -> dict[str, Any]:
    """Return a scatter trace; `mode` is "lines", "markers", "text" or several joined by "+"; see `_trace`."""
    return _trace("scatter", mode=mode, **fields)


def bar_trace(**fields: Any) -> dict[str, Any]:
    """Return a trace of bars; see `_trace`."""
    return _trace("bar", **fields)


def heatmap_trace(z: Any, *, gap: int = 0, **fields: Any) -> dict[str, Any]:
    """Return a heatmap, without a scale unless `fields` describe its `colorbar`; see `_trace`.

    gap: pixels between its cells.
    """
    gaps: dict[str, Any] = {"xgap": gap, "ygap": gap} if gap else {}
    scale: dict[str, Any] = {} if "colorbar" in fields else {"showscale": False}
    return _trace("heatmap", z=z, **scale, **gaps, **fields)


def _trace(kind: str, *, hover: str = "", **fields: Any) -> dict[str, Any]:
    """Return a trace with the fields of Plotly's reference; `hover` is its hover text, without the name."""
    hovering = {"hovertemplate": f"{hover}<extra></extra>"} if hover else {}
    return {"type": kind, **fields, **hovering}


def chart_layout(
    height: float,
    margin: tuple[int, int, int, int],
    *,
    min_width: int = 0,
    font_size: int = 12,
    **fields: Any,
) -> dict[str, Any]:
    """Return a layout with the fields of Plotly's reference.

    Height, least width (0: that of any figure) and margins (left, right, top, bottom) are in pixels.
    """
    meta = {"meta": {"min_width": min_width}} if min_width else {}
    return {
        "height": height,
        "margin": dict(zip("lrtb", margin, strict=True)),
        "font": {"size": font_size, "color": LIGHT.text},
        **meta,
        **fields,
    }


def plain_axis(*, ticks: tuple[Sequence[Any], Sequence[str]] | None = None, **fields: Any) -> dict[str, Any]:
    """Return an axis without a line at zero; `ticks` are the values that it names, and their names."""
    tick_names = {} if ticks is None else {"tickmode": "array", "tickvals": ticks[0], "ticktext": ticks[1]}
    return {"zeroline": False, **tick_names, **fields}


def legend_above(y: float = 1.02, **fields: Any) -> dict[str, Any]:
    """Return a legend in one line above the plot; `y` is its lower edge as a share of the plot's height."""
    return {"orientation": "h", "y": y, "yanchor": "bottom", "x": 0, **fields}


def level_line(y: float, *, color: str = LIGHT.muted, dash: str = "dash", width: float = 1) -> dict[str, Any]:
    """Return the shape of a line across the plot at `y`."""
    line = {"color": color, "dash": dash, "width": width}
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": y, "y1": y, "line": line}


def upright_line(
    x: float, color: str, *, dash: str = "dash", width: float = 1, **fields: Any
) -> dict[str, Any]:
    """Return the shape of a line at `x` from the bottom of the plot to its top."""
    line = {"color": color, "dash": dash, "width": width}
    return {"type": "line", "yref": "paper", "y0": 0, "y1": 1, "x0": x, "x1": x, "line": line, **fields}


def error_bars(above: Sequence[float], below: Sequence[float], **fields: Any) -> dict[str, Any]:
    """Return the `error_x` or `error_y` of a trace: the distances of each interval's ends from its value."""
    return {"type": "data", "symmetric": False, "array": above, "arrayminus": below, **fields}
