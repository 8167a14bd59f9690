"""Attentions as small heatmaps, a line for each layer and a column for each head; and one enlarged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from demo.widgets.figures.attention import MAX_ASPECT, labels_above, longest, looks_at
from demo.widgets.figures.drawing import (
    CHARACTER_WIDTH,
    chart_layout,
    heatmap_trace,
    labelled_axis,
    note,
    overhang,
)
from demo.widgets.figures.figure import LIGHT, Figure

Grid: TypeAlias = "Sequence[Sequence[float]]"  # rows are queries, columns keys

TILE = 96  # pixels of one small heatmap's longer side
GAP = 10  # pixels between two heatmaps
LEFT, TOP, RIGHT, BOTTOM = 76, 30, 8, 6  # pixels around them
ROW, COLUMN = 24, 20  # least pixels of a cell of the enlarged heatmap
BARE = {"showticklabels": False, "ticks": ""}  # fields of an axis whose labels appear on hovering
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
            x = {"anchor": f"y{number}", "domain": [begin, min(1, begin + across / width)], **BARE}
            y = {"anchor": f"x{number}", "domain": [max(0, top - down / height), top], **BARE}
            layout[f"xaxis{number}"] = {**labelled_axis(grid.columns), **x}
            layout[f"yaxis{number}"] = {**labelled_axis(grid.rows, down=True), **y}
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
        xaxis=labels_above(grid.columns, titles[0]),
        yaxis=labelled_axis(grid.rows, down=True, title=titles[1], way="down", color=LIGHT.output),
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
        (0, tile.highest),
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
    style: dict[str, Any] = {"paper": "xy", "font": {"color": LIGHT.muted, "size": 11}}
    for index, name in enumerate(grid.tile_titles):
        middle = (index * (across + GAP) + across / 2) / width
        yield note(name, middle, 1, "center bottom", yshift=4, **style)
    for index, name in enumerate(grid.layer_names):
        middle = 1 - (index * (down + GAP) + down / 2) / height
        yield note(name, 0, middle, "right middle", xshift=-6, **style)


def _mark(grid: HeadGrid, number: str, width: int) -> dict[str, object]:
    """The frame around the current row."""
    assert grid.marked is not None
    line = {"color": LIGHT.text, "width": width}
    ends = {"x0": -0.5, "x1": len(grid.columns) - 0.5, "y0": grid.marked - 0.5, "y1": grid.marked + 0.5}
    return {"type": "rect", "xref": f"x{number}", "yref": f"y{number}", **ends, "line": line}
