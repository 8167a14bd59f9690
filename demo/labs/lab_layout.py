"""The layouts of labs' charts: one plot with two axes, and a grid of cells, both without zoom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from demo.widgets.figures.drawing import bar_trace, chart_layout, labelled_axis, plain_axis
from demo.widgets.figures.figure import Figure


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


def labelled_bars(labels: list[str], values: Sequence[float], color: Any, **fields: Any) -> dict[str, Any]:
    """Return a bar for each value, in one colour or in one for each, with its label on hovering."""
    return bar_trace(
        x=list(range(len(values))),
        y=values,
        marker={"color": color},
        hovertext=labels,
        hover="%{hovertext}: %{y:.3f}",
        **fields,
    )


def grid_figure(
    heatmap: dict[str, Any],
    columns: tuple[Sequence[str], dict[str, Any]],
    rows: tuple[Sequence[str], dict[str, Any]],
    size: tuple[int, int],
    margins: tuple[int, int],
) -> Figure:
    """Return a heatmap with the names of its columns above it and those of its rows, from above, on the left.

    Names come with further fields of their axis. Width and height, left and top margin are in pixels.
    """
    (width, height), (left, top) = size, margins
    layout = chart_layout(
        top + 16 + height,
        (left, 16, top, 16),
        min_width=left + 16 + width,
        xaxis=labelled_axis(columns[0], side="top", **columns[1]),
        yaxis=labelled_axis(rows[0], down=True, **rows[1]),
    )
    return Figure([heatmap], layout)
