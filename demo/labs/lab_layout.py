"""The layout of a lab's chart: one plot with two axes, without zoom."""

from __future__ import annotations

from typing import Any

from demo.figures.drawing.builders import chart_layout


def lab_layout(
    across: dict[str, Any],
    upright: dict[str, Any],
    width: int,
    *,
    height: int = 280,
    top: int = 16,
    bottom: int = 56,
    **fields: Any,
) -> dict[str, Any]:
    """Return a layout with the given fields of both axes; width (the least), height and margins in pixels."""
    fixed = {"zeroline": False, "fixedrange": True}
    x, y = {**fixed, "showgrid": False, **across}, {**fixed, **upright}
    return chart_layout(height, (54, 16, top, bottom), min_width=width, xaxis=x, yaxis=y, **fields)
