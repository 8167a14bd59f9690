"""The layout of a lab's chart: one plot with two axes, that nobody can zoom."""

from __future__ import annotations

from typing import Any

from demo.figures.palette import LIGHT


def chart_layout(
    across: dict[str, Any],
    upright: dict[str, Any],
    width: int,
    *,
    height: int = 280,
    top: int = 16,
    bottom: int = 56,
) -> dict[str, Any]:
    """What the two axes say of themselves, and pixels: the least width, the height and its two margins."""
    axis = {"zeroline": False, "fixedrange": True}
    return {
        "height": height,
        "margin": {"l": 54, "r": 16, "t": top, "b": bottom},
        "font": {"size": 12, "color": LIGHT.text},
        "meta": {"min_width": width},
        "xaxis": {**axis, "showgrid": False, **across},
        "yaxis": {**axis, **upright},
    }
