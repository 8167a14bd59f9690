"""The grid of heads: every tile in its place, and no more cells than a browser draws at once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from demo.inspect.heads.grid import (
    MAX_CELLS,
    TILE,
    HeadGrid,
    Tile,
    fitting,
    head_grid_figure,
    one_head_figure,
)
from tests.demo.widgets.figures.figure_check import checked

CELLS = ((0.9, 0.1, 0.0), (0.25, 0.5, 0.25))
LINES = [[Tile(f"{line}.{head}", f"tile {line}.{head}", CELLS, 1.0) for head in (1, 2)] for line in (1, 2, 3)]
GRID = HeadGrid(
    LINES,
    ["layer 1", "layer 2", "layer 3"],
    ["head 1", "head 2"],
    ["a", "&lt;/s&gt;"],
    ["x", "y", "x"],
    marked=1,
)


def test_every_head_has_its_own_tile() -> None:
    figure = head_grid_figure(GRID)
    checked(figure)
    assert [trace["z"] for trace in figure.data] == [[list(row) for row in CELLS]] * 6
    places = set()
    for number in ("", "2", "3", "4", "5", "6"):
        across, down = figure.layout[f"xaxis{number}"], figure.layout[f"yaxis{number}"]
        assert 0 <= across["domain"][0] < across["domain"][1] <= 1
        assert 0 <= down["domain"][0] < down["domain"][1] <= 1
        assert across["ticktext"] == ["x", "y", "x"]
        assert down["range"] == [1.5, -0.5], "the first step on top"
        places.add((across["domain"][0], down["domain"][1]))
    assert len(places) == 6
    assert figure.layout["yaxis"]["domain"][1] == 1, "the first layer on top"


def test_a_click_chooses_the_head() -> None:
    figure = head_grid_figure(GRID)
    for trace, tile in zip(figure.data, [tile for line in LINES for tile in line], strict=True):
        assert trace["customdata"] == [[["choose", "head", tile.key]] * 3] * 2
        assert tile.title in trace["hovertemplate"]


def test_the_row_on_show_is_framed_in_every_tile() -> None:
    frames = head_grid_figure(GRID).layout["shapes"]
    assert [(frame["yref"], frame["y0"], frame["y1"]) for frame in frames] == [
        (f"y{number}", 0.5, 1.5) for number in ("", "2", "3", "4", "5", "6")
    ]


def test_a_large_head_leads_to_its_steps_if_its_rows_are_steps() -> None:
    alone = replace(GRID, lines=[[LINES[0][1]]], first=4)
    figure = one_head_figure(alone, ("read", "written"), steps=True)
    checked(figure)
    assert figure.data[0]["customdata"] == [[["step", 4]] * 3, [["step", 5]] * 3]
    assert figure.layout["yaxis"]["ticktext"] == ["a", "&lt;/s&gt;"]
    assert "customdata" not in one_head_figure(alone, ("read", "written"), steps=False).data[0]


def test_a_large_head_has_room_for_the_label_that_leans_over_its_edge() -> None:
    alone = replace(GRID, lines=[[LINES[0][1]]], columns=["x", "y", "x" * 12])
    short = one_head_figure(replace(alone, columns=["x", "y", "x"]), ("read", "written"), steps=True)
    long = one_head_figure(alone, ("read", "written"), steps=True)
    assert long.layout["margin"]["r"] > short.layout["margin"]["r"] + 30


@pytest.mark.parametrize("columns", [1, 3, 40])
def test_cells_stay_in_proportion_however_wide_the_pane_is(columns: int) -> None:
    tile = Tile("1.1", "tile", [[0.5] * columns] * 2, 1.0)
    grid = HeadGrid([[tile]], ["layer 1"], ["head 1"], ["a", "b"], ["x"] * columns)
    for figure in (head_grid_figure(grid), one_head_figure(grid, ("read", "written"), steps=True)):
        margin, meta = figure.layout["margin"], figure.layout["meta"]
        assert meta["min_width"] <= meta["max_width"]
        height = figure.layout["height"] - margin["t"] - margin["b"]
        across = (meta["max_width"] - margin["l"] - margin["r"]) / columns
        assert across <= 3.2 * max(height / 2, TILE / 3 / columns)


@pytest.mark.parametrize("marked", [None, 0, 50, 99])
def test_only_rows_around_the_step_of_a_long_text_are_drawn(marked: int | None) -> None:
    assert fitting(GRID) is GRID
    cells = [[float(row)] * 100 for row in range(100)]
    lines = [[Tile("1.1", "tile", cells, 1.0)] * 9] * 6
    labels = list(map(str, range(100)))
    grid = fitting(HeadGrid(lines, ["layer"] * 6, ["head"] * 9, labels, labels, marked=marked))
    drawn = range(grid.first, grid.first + len(grid.rows))
    assert 0 < 6 * 9 * 100 * len(drawn) <= MAX_CELLS
    assert (marked or 0) in drawn
    assert grid.marked == (None if marked is None else marked - grid.first)
    assert drawn.stop <= 100
    assert [int(row) for row in grid.rows] == list(drawn)
    assert all([row[0] for row in tile.cells] == list(drawn) for line in grid.lines for tile in line)
