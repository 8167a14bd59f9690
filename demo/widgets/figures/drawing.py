"""Builders of the parts of a Plotly figure: traces, layout, axes, titles, ticks, notes, legend and lines."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Literal, TypeAlias

from demo.i18n.display import short_text
from demo.widgets.figures.figure import LIGHT, attention_ramp

Way: TypeAlias = Literal["right", "up", "down"]  # on the screen
Colors: TypeAlias = "Sequence[tuple[float, str]]"  # shares of a scale, from 0 to 1, and their colours

CHARACTER_WIDTH = 7  # pixels, roughly, of a label or a title
# The title of an upright axis is turned by 90 degrees to the left, and its arrow turns with it.
_TEMPLATES: dict[Way, str] = {"right": "{text} →", "up": "{text} →", "down": "← {text}"}
RAMP: Colors = attention_ramp(LIGHT)
# Colours from the least to the largest of values that have a sign.
SIGNED: Colors = [(0.0, LIGHT.output), (0.5, LIGHT.surface), (1.0, LIGHT.attention)]


def scatter_trace(mode: str, **fields: Any) -> dict[str, Any]:
    """Return a scatter trace; `mode` is "lines", "markers", "text" or several joined by "+"; see `_trace`."""
    return _trace("scatter", mode=mode, **fields)


def bar_trace(**fields: Any) -> dict[str, Any]:
    """Return a trace of bars; see `_trace`."""
    return _trace("bar", **fields)


def bars_across(name: str, color: str, x: Sequence[float], y: Sequence[Any], **fields: Any) -> dict[str, Any]:
    """Return a trace of level bars: their lengths and the places or names of their rows; see `_trace`."""
    return bar_trace(orientation="h", name=name, marker={"color": color}, x=x, y=y, **fields)


def heatmap_trace(
    z: Any, ends: tuple[float, float] = (0, 1), *, colors: Colors = RAMP, gap: int = 0, **fields: Any
) -> dict[str, Any]:
    """Return a heatmap, without a scale unless `fields` describe its `colorbar`; see `_trace`.

    ends: the values of the first and the last colour. gap: pixels between its cells.
    """
    gaps: dict[str, Any] = {"xgap": gap, "ygap": gap} if gap else {}
    scale: dict[str, Any] = {} if "colorbar" in fields else {"showscale": False}
    low, high = ends
    return _trace("heatmap", z=z, zmin=low, zmax=high, colorscale=colors, **scale, **gaps, **fields)


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


def plain_axis(
    title: str | dict[str, Any] = "",
    way: Way | None = None,
    *,
    color: str = "",
    size: int = 12,
    standoff: int = 8,
    ticks: tuple[Sequence[Any], Sequence[str]] | None = None,
    **fields: Any,
) -> dict[str, Any]:
    """Return an axis without a line at zero, with the fields of Plotly's reference.

    title: a text, or a title as Plotly takes it. way: where the arrow beside a text points on the screen.
    color: that of title and labels. size, standoff: of the title, in pixels. ticks: values, and their names.
    """
    if title and isinstance(title, str):
        font = {"color": color or LIGHT.muted, "size": size}
        title = {"text": with_arrow(title, way) if way else title, "font": font, "standoff": standoff}
    named = {"title": title} if title else {}
    colored = {"tickfont": {"color": color}} if color else {}
    tick_names = {} if ticks is None else {"tickmode": "array", "tickvals": ticks[0], "ticktext": ticks[1]}
    return {"zeroline": False, **named, **colored, **tick_names, **fields}


def note(
    text: str, x: float, y: float, anchor: str = "", *, paper: str = "", **fields: Any
) -> dict[str, Any]:
    """Return an annotation without an arrow, with the fields of Plotly's reference.

    anchor: the side or corner of the text that stands at x and y, such as "left bottom"; Plotly's own choice
    depends on the place. paper: the coordinates that are shares of the plot, "x", "y" or "xy".
    """
    sides = {"yanchor" if side in ("top", "middle", "bottom") else "xanchor": side for side in anchor.split()}
    shares = {f"{axis}ref": "paper" for axis in paper}
    return {"text": text, "x": x, "y": y, "showarrow": False, **sides, **shares, **fields}


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


def error_bars(
    values: Iterable[float], intervals: Iterable[tuple[float, float]], **fields: Any
) -> dict[str, Any]:
    """Return the `error_x` or `error_y` of a trace with an interval around each value."""
    pairs = list(zip(values, intervals, strict=True))
    above = [high - value for value, (_, high) in pairs]
    below = [value - low for value, (low, _) in pairs]
    return {"type": "data", "symmetric": False, "array": above, "arrayminus": below, **fields}


def overhang(text: str, way: Way, length: float) -> int:
    """Return the pixels by which a title sticks out at each end of its axis of `length` pixels."""
    return max(0, round((CHARACTER_WIDTH * len(with_arrow(text, way)) - length) / 2))


def with_arrow(text: str, way: Way) -> str:
    """Return the text of a title with its arrow; "right" also serves annotations."""
    return _TEMPLATES[way].format(text=text)


def label_ticks(labels: Sequence[str], **fields: Any) -> dict[str, Any]:
    """Return an axis with a label at each whole number from 0, by positions; see `plain_axis`.

    An axis of categories would merge a token that occurs twice.
    """
    ticks = list(range(len(labels))), list(labels)
    return plain_axis(ticks=ticks, showgrid=False, fixedrange=True, **fields)


def labelled_axis(labels: Sequence[str], *, down: bool = False, **fields: Any) -> dict[str, Any]:
    """Return an axis that ends half a bar or a cell beyond its labels, the first on top if `down`."""
    ends = [-0.5, len(labels) - 0.5]
    return label_ticks(labels, range=ends[::-1] if down else ends, **fields)


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
