"""Titles of axes, with arrows that point along their axes."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from demo.widgets.figures.drawing.palette import LIGHT

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
