"""What every chart has without saying it: our scripts cannot draw one that lacks it."""

from __future__ import annotations

from demo.figures.figure import MIN_WIDTH, ON_A_CARD, Figure


def test_a_layout_that_says_little_can_be_drawn() -> None:
    layout = Figure([], {"height": 240}).to_plotly_json()["layout"]
    assert layout == {**ON_A_CARD, "height": 240, "meta": {"min_width": MIN_WIDTH}}


def test_a_layout_keeps_what_it_says() -> None:
    said = {"height": 240, "paper_bgcolor": "#123456", "meta": {"min_width": 900, "given": [1]}}
    layout = Figure([], said).layout
    assert layout["paper_bgcolor"] == "#123456"
    assert layout["meta"] == {"min_width": 900, "given": [1]}
    assert Figure([], {"meta": {"given": [1]}}).layout["meta"] == {"min_width": MIN_WIDTH, "given": [1]}
