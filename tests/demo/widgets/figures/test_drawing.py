"""Defaults of every chart that our scripts need to draw it."""

from __future__ import annotations

from typing import Any

import pytest

from demo.widgets.figures.drawing import Way, error_bars, note, plain_axis
from demo.widgets.figures.figure import MIN_WIDTH, ON_A_CARD, Figure
from demo.widgets.figures.trace_figure import trace_figures
from models.decoding.trace import DecodingTrace
from tests.demo.widgets.figures.figure_check import checked, points_along
from tests.fakes.traces import library_trace, translation_trace


def test_a_minimal_layout_gets_the_defaults() -> None:
    layout = Figure([], {"height": 240}).to_plotly_json()["layout"]
    assert layout == {**ON_A_CARD, "height": 240, "meta": {"min_width": MIN_WIDTH}}


def test_a_layout_keeps_its_own_values() -> None:
    values = {"height": 240, "paper_bgcolor": "#123456", "meta": {"min_width": 900, "given": [1]}}
    layout = Figure([], values).layout
    assert layout["paper_bgcolor"] == "#123456"
    assert layout["meta"] == {"min_width": 900, "given": [1]}
    assert Figure([], {"meta": {"given": [1]}}).layout["meta"] == {"min_width": MIN_WIDTH, "given": [1]}


@pytest.mark.parametrize("trace", [library_trace(), translation_trace()])
def test_every_chart_of_a_trace_has_arrows_along_its_axes(trace: DecodingTrace) -> None:
    drawn = [figure for figure in (figure.draw(trace) for figure in trace_figures()) if figure is not None]
    assert drawn
    for figure in drawn:
        checked(figure)


@pytest.mark.parametrize(
    ("way", "upright", "axis"),
    [
        ("right", False, {"range": [0, 5]}),
        ("up", True, {"range": [0, 5]}),
        ("down", True, {"range": [5, 0]}),
        ("down", True, {"autorange": "reversed"}),
        ("up", True, {"range": [1, -1], "ticktext": ["−0.1", "−1", "−10"]}),  # the larger score stands above
    ],
)
def test_an_arrow_points_along_its_axis_and_no_other_way(
    way: Way, upright: bool, axis: dict[str, Any]
) -> None:
    text = plain_axis("loss", way)["title"]["text"]
    assert points_along(text, axis, upright=upright)
    for wrong in {"loss →", "← loss", "loss ↑", "loss ↓"} - {text}:
        assert not points_along(wrong, axis, upright=upright)


def test_a_note_stands_by_its_corner_and_only_in_the_shares_that_it_names() -> None:
    assert note("best", 0.2, 1, "left bottom", paper="y", xshift=4) == {
        "text": "best",
        "x": 0.2,
        "y": 1,
        "showarrow": False,
        "xanchor": "left",
        "yanchor": "bottom",
        "yref": "paper",
        "xshift": 4,
    }
    assert not {"xref", "yref", "xanchor", "yanchor"} & note("0.5", 3, 4).keys()


def test_whiskers_reach_from_each_value_to_the_ends_of_its_interval() -> None:
    bars = error_bars([4.0, 7.0], [(3.0, 6.0), (7.0, 7.5)])
    assert (bars["array"], bars["arrayminus"]) == ([2.0, 0.5], [1.0, 0.0])
    assert error_bars([], [])["array"] == []
