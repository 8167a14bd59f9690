"""Attentions as small heatmaps, a line for each layer and a column for each head; and one enlarged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from demo.widgets.figures.attention import MAX_ASPECT, longest, looks_at
from demo.widgets.figures.drawing import (
    CHARACTER_WIDTH,
    Way,
    axis_title,
    chart_layout,
    heatmap_trace,
    label_ticks,
    overhang,
)
from demo.widgets.figures.figure import LIGHT, Figure, attention_ramp

Grid: TypeAlias = "Sequence[Sequence[float]]"  # rows are queries, columns keys

TILE = 96  # pixels of one small heatmap's longer side
GAP = 10  # pixels between two heatmaps
LEFT, TOP, RIGHT, BOTTOM = 76, 30, 8, 6  # pixels around them
ROW, COLUMN = 24, 20  # least pixels of a cell of the enlarged heatmap
MAX_CELLS = 60_000  # the most cells of all small heatmaps together; more are slow in a browser


@dataclass(frozen=True)
class Tile:
    """One small heatmap."""

    key: str  # the value that a click chooses, as "3.2"
    title: str
    cells: Grid
    highest: float  # end of the colour scale


@dataclass(frozen=True)
class HeadGrid:
    """Heatmaps with the same rows and columns."""

    lines: Sequence[Sequence[Tile]]  # the heads of each layer
    layer_names: Sequence[str]
    tile_titles: Sequence[str]
    rows: Sequence[str]  # labels, escaped
    columns: Sequence[str]
    first: int = 0  # the step of the first row
    marked: int | None = None  # the current row


def fitting(grid: HeadGrid) -> HeadGrid:
    """The grid with all its rows, or with those around the marked one that a browser draws quickly."""
    rows = len(grid.rows)
    most = max(1, MAX_CELLS // max(1, len(grid.lines) * len(grid.tile_titles) * len(grid.columns)))
    if rows <= most:
        return grid
    first = max(0, min((grid.marked or 0) - most // 2, rows - most))
    window = slice(first, first + most)
    lines = [[replace(tile, cells=tile.cells[window]) for tile in line] for line in grid.lines]
    marked = None if grid.marked is None else grid.marked - first
    return replace(grid, lines=lines, rows=grid.rows[window], first=first, marked=marked)


def head_grid_figure(grid: HeadGrid) -> Figure:
    """All heatmaps in one chart; a click on one chooses it."""
    across, down = _sides(len(grid.rows), len(grid.columns))
    count = len(grid.tile_titles)
    width, height = count * (across + GAP) - GAP, len(grid.lines) * (down + GAP) - GAP
    data: list[dict[str, Any]] = []
    layout: dict[str, Any] = chart_layout(
        TOP + BOTTOM + height,
        (LEFT, RIGHT, TOP, BOTTOM),
        font_size=11,
        meta={"min_width": LEFT + RIGHT + width, "max_width": LEFT + RIGHT + MAX_ASPECT * width},
        annotations=[*_names(grid, width, height, (across, down))],
        shapes=[],
    )
    for index, line in enumerate(grid.lines):
        top = 1 - index * (down + GAP) / height
        for column, tile in enumerate(line):
            number = str(len(data) + 1) if data else ""
            begin = column * (across + GAP) / width
            data.append(_heatmap(tile, number, grid))
            layout[f"xaxis{number}"] = {
                **_bare(grid.columns, f"y{number}"),
                "domain": [begin, min(1, begin + across / width)],
                "range": [-0.5, len(grid.columns) - 0.5],
            }
            layout[f"yaxis{number}"] = {
                **_bare(grid.rows, f"x{number}"),
                "domain": [max(0, top - down / height), top],
                "range": [len(grid.rows) - 0.5, -0.5],
            }
            if grid.marked is not None:
                layout["shapes"].append(_mark(grid, number, 1))
    return Figure(data, layout)


def one_head_figure(grid: HeadGrid, titles: tuple[str, str], *, steps: bool) -> Figure:
    """The grid's only heatmap, with labels; `titles`: of columns and rows; `steps`: rows are steps."""
    tile = grid.lines[0][0]
    rows, columns = len(grid.rows), len(grid.columns)
    left, top = 46 + CHARACTER_WIDTH * longest(grid.rows), 46 + round(5.5 * longest(grid.columns))
    right, bottom = 12 + _leaning_out(grid.columns), max(10, overhang(titles[1], "down", ROW * rows))
    heatmap = {**_heatmap(tile, "", grid), "xgap": 1, "ygap": 1}
    if steps:
        heatmap["customdata"] = [[["step", grid.first + row]] * columns for row in range(rows)]
    else:
        del heatmap["customdata"]
    layout = chart_layout(
        top + bottom + ROW * rows,
        (left, right, top, bottom),
        meta={
            "min_width": left + right + COLUMN * columns,
            "max_width": left + right + MAX_ASPECT * ROW * columns,
        },
        xaxis={
            **_labelled_axis(grid.columns, titles[0], "right", LIGHT.source),
            "side": "top",
            "tickangle": -50,
            "range": [-0.5, columns - 0.5],
        },
        yaxis={**_labelled_axis(grid.rows, titles[1], "down", LIGHT.output), "range": [rows - 0.5, -0.5]},
        shapes=[] if grid.marked is None else [_mark(grid, "", 2)],
    )
    return Figure([heatmap], layout)


def _leaning_out(labels: Sequence[str]) -> int:
    """Pixels that labels rotated by 50 degrees need beyond the last column."""
    ends = [
        0.7 * CHARACTER_WIDTH * longest([label]) - COLUMN * (index + 0.5)
        for index, label in enumerate(reversed(labels))
    ]
    return max(0, round(max(ends, default=0)))


def _sides(rows: int, columns: int) -> tuple[float, float]:
    """Width and height of a small heatmap, in proportion to its cells within limits."""
    longer = max(rows, columns)
    return max(TILE * columns / longer, TILE / 3), max(TILE * rows / longer, TILE / 3)


def _heatmap(tile: Tile, number: str, grid: HeadGrid) -> dict[str, Any]:
    return heatmap_trace(
        [[round(value, 4) for value in row] for row in tile.cells],
        zmin=0,
        zmax=tile.highest,
        colorscale=attention_ramp(LIGHT),
        xaxis=f"x{number}",
        yaxis=f"y{number}",
        hover=f"{tile.title}<br>{looks_at()}<br>%{{z:.3f}}",
        customdata=[[["choose", "head", tile.key]] * len(grid.columns)] * len(grid.rows),
    )


def _names(
    grid: HeadGrid, width: float, height: float, sides: tuple[float, float]
) -> Iterator[dict[str, object]]:
    """Column titles above, row titles at the left."""
    across, down = sides
    centred = {"xanchor": "center", "yanchor": "middle"}  # Plotly's own choice depends on the place
    style = {"xref": "paper", "yref": "paper", "showarrow": False, "font": {"color": LIGHT.muted, "size": 11}}
    for index, name in enumerate(grid.tile_titles):
        middle = (index * (across + GAP) + across / 2) / width
        yield {**style, "x": middle, "y": 1, **centred, "yanchor": "bottom", "yshift": 4, "text": name}
    for index, name in enumerate(grid.layer_names):
        middle = 1 - (index * (down + GAP) + down / 2) / height
        yield {**style, "x": 0, **centred, "xanchor": "right", "xshift": -6, "y": middle, "text": name}


def _bare(labels: Sequence[str], anchor: str) -> dict[str, object]:
    """An axis without labels, which appear on hovering."""
    return {**label_ticks(labels), "anchor": anchor, "showticklabels": False, "ticks": ""}


def _labelled_axis(labels: Sequence[str], title: str, way: Way, color: str) -> dict[str, object]:
    return {**label_ticks(labels), "tickfont": {"color": color}, "title": axis_title(title, way, color=color)}


def _mark(grid: HeadGrid, number: str, width: int) -> dict[str, object]:
    """The frame around the current row."""
    assert grid.marked is not None
    line = {"color": LIGHT.text, "width": width}
    ends = {"x0": -0.5, "x1": len(grid.columns) - 0.5, "y0": grid.marked - 0.5, "y1": grid.marked + 0.5}
    return {"type": "rect", "xref": f"x{number}", "yref": f"y{number}", **ends, "line": line}
