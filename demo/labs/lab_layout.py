"""The layout of a lab's chart: one plot with two axes, without zoom."""

from __future__ import annotations

from typing import Any

from demo.widgets.figures.drawing.builders import chart_layout, plain_axis


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
    x = {**plain_axis(fixedrange=True, showgrid=False), **across}
    y = {**plain_axis(fixedrange=True), **upright}
    return chart_layout(height, (54, 16, top, bottom), min_width=width, xaxis=x, yaxis=y, **fields)
