"""The beam widths of a comparison: the conditions of a curve, its content, and the button's request."""

from __future__ import annotations

from typing import Any

from demo.compare.view.payload import strategies_payload
from demo.compare.work.rows import Row, RowState, StrategyComparison
from demo.widgets.figures.figure import Figure
from demo.work.requests.compare import ComparisonRequest
from tests.demo.widgets.figures.figure_check import checked
from tests.fakes.outcomes import row


def beam(width: int, text: str, log_prob: float, **settings: Any) -> Row:
    return row(text, log_prob, strategy="beam", beam_size=width, **settings)


def payload(*rows: Row, reference: str = "an old house", finished: bool = True) -> dict[str, Any]:
    strategies = tuple(row.options for row in rows)
    request = ComparisonRequest("words", "una casa vieja", reference, strategies)
    return strategies_payload(StrategyComparison(request, rows, None, finished))


ROWS = (
    beam(8, "", -1.0),
    row("an house", -3.0, strategy="greedy"),
    beam(2, "an old house", -2.0),
    beam(4, "an old house", -1.5, length_penalty=1.0),  # another search
)


def test_rows_that_differ_in_width_alone_are_drawn_narrowest_first() -> None:
    (chart,) = payload(*ROWS)["curve"]["charts"]
    score, chrf, tokens = (line for line in chart["data"] if line["mode"] == "lines+markers")
    assert score["x"] == [1, 2, 8]
    assert score["y"] == [-3.0, -2.0, -1.0]
    assert chrf["y"][1:] == [100.0, 0.0]
    assert chrf["marker"]["symbol"] == ["circle", "circle", "x"]
    assert tokens["y"] == [3, 4, 1]
    checked(Figure(chart["data"], chart["layout"]))


def test_there_is_no_curve_of_two_widths_or_before_the_end() -> None:
    assert payload(*ROWS[1:])["curve"] is None
    assert payload(*ROWS, finished=False)["curve"] is None
    lost = Row(ROWS[0].options, "Beam 8", RowState.FAILED, problem="Too slow.")
    assert payload(lost, *ROWS[1:])["curve"] is None


def test_without_a_reference_the_widths_have_no_curve_of_quality() -> None:
    (chart,) = payload(*ROWS, reference="")["curve"]["charts"]
    assert [line["y"] for line in chart["data"]] == [[-3.0, -2.0, -1.0], [3, 4, 1]]


def test_the_button_asks_for_the_same_search_at_every_width() -> None:
    alpha = payload(ROWS[1], ROWS[3])["wider"]["strategies"]
    assert [settings.get("beam_size", 4) for settings in alpha] == [1, 2, 4, 8, 16]
    assert {settings["length_penalty"] for settings in alpha} == {1.0}
    greedy = payload(ROWS[1])["wider"]
    assert greedy["label"] == "Beam search at every beam width"  # greedy search has no width
    assert {settings["strategy"] for settings in payload(ROWS[1])["wider"]["strategies"]} == {"beam"}


def test_the_curve_of_widths_is_offered_only_if_a_row_has_a_beam_and_a_width_is_missing() -> None:
    assert payload(*(beam(width, "an old house", -1.0) for width in (1, 2, 4, 8, 16)))["wider"] is None
    assert payload(row("blue", -9.0, strategy="sampling"))["wider"] is None
