"""Builders of the parts of a Plotly figure: traces, a layout, axes with titles and ticks, a legend, lines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from demo.i18n.display import short_text
from demo.widgets.figures.figure import LIGHT


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


Way: TypeAlias = Literal["right", "up", "down"]

CHARACTER_WIDTH = 7  # pixels, roughly, of a label or a title
# The title of an upright axis is turned by 90 degrees to the left, and its arrow turns with it.
_TEMPLATES: dict[Way, str] = {"right": "{text} →", "up": "{text} →", "down": "← {text}"}


def axis_title(
    text: str, way: Way, *, color: str = LIGHT.muted, size: int = 12, standoff: int = 8
) -> dict[str, Any]:
    """Return Plotly's title of an axis, with an arrow that points on the screen where `way` says.

    `size` and `standoff` are in pixels.
    """
    return {"text": with_arrow(text, way), "font": {"color": color, "size": size}, "standoff": standoff}


def overhang(text: str, way: Way, length: float) -> int:
    """Return the pixels by which a title sticks out at each end of its axis of `length` pixels."""
    return max(0, round((CHARACTER_WIDTH * len(with_arrow(text, way)) - length) / 2))


def with_arrow(text: str, way: Way) -> str:
    """Return the text of a title with its arrow; "right" also serves annotations."""
    return _TEMPLATES[way].format(text=text)


def label_ticks(labels: Sequence[str]) -> dict[str, Any]:
    """Return an axis with a label at each whole number from 0, by positions.

    An axis of categories would merge a token that occurs twice.
    """
    return plain_axis(ticks=(list(range(len(labels))), list(labels)), showgrid=False, fixedrange=True)


def log_ticks(low: float, high: float) -> list[float]:
    """Return at most eight round numbers from `low` to `high`, both positive, for a logarithmic axis."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    if high < 8 * low:
        power = 10.0 ** math.floor(math.log10((high - low) / 7))
        step = next(digit * power for digit in (1, 2, 5, 10) if (high - low) <= 7 * digit * power)
        return [round(index * step, 9) for index in range(math.ceil(low / step), math.floor(high / step) + 1)]
    for digits, stride in (((1, 2, 5), 1), ((1, 3), 1), *(((1,), 1 << power) for power in range(7))):
        ticks = [float(f"{digit}e{power}") for power in decades[::stride] for digit in digits]
        ticks = [tick for tick in ticks if low <= tick <= high]
        if len(ticks) <= 8:
            break
    return ticks


def number_ticks(low: float, high: float) -> dict[str, Any]:
    """Return fields of a logarithmic axis that name its round numbers: Plotly's own labels would overlap."""
    ticks = log_ticks(low, high)
    return {"tickmode": "array", "tickvals": ticks, "ticktext": [short_text(tick, 6) for tick in ticks]}
