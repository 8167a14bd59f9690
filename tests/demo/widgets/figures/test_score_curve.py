"""Score against length penalty: leaders computed by hand and by trying every alpha, and the drawing."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from typing import Any

import pytest

from demo.widgets.captions.trace import scores_captions
from demo.widgets.figures.drawing import log_ticks
from demo.widgets.figures.score_curve import (
    NORMALIZERS,
    ScoreCurve,
    crossing,
    normalizer_of,
    score_curve_figure,
    score_curves,
    score_marks,
    takeover_sentence,
    takeovers,
)
from models.decoding.search.strategy import NORMALIZER_KINDS as LIBRARY_KINDS
from models.decoding.search.strategy import LengthNormalizer
from models.decoding.trace import DecodingTrace, Hypothesis
from tests.demo.widgets.figures.figure_check import checked


def ranked(*outputs: tuple[float, int], **settings: Any) -> DecodingTrace:
    """A trace of different outputs: log-probability and length of each."""
    hypotheses = tuple(
        Hypothesis(0, tuple([index] * length), f"output {index + 1}", log_prob, log_prob, True)
        for index, (log_prob, length) in enumerate(outputs)
    )
    return DecodingTrace("hand-made", "", (), "beam", settings, (), hypotheses)


SHORT_AND_LONG = ((-4.0, 4), (-5.0, 8))  # equal at 4/4^a = 5/8^a, so 2^a = 5/4


def test_a_probability_rounded_above_1_counts_as_1() -> None:
    rounded, whole = (score_curves(ranked((log_prob, 4), (-5.0, 8))) for log_prob in (1e-7, 0.0))
    assert rounded == whole
    checked(score_curve_figure(rounded, "none"))


def test_two_outputs_meet_at_the_alpha_computed_by_hand() -> None:
    curves = score_curves(ranked(*SHORT_AND_LONG))
    (change,) = curves.takeovers["power"]
    assert change.alpha == pytest.approx(math.log(5 / 4) / math.log(2))
    assert (change.overtaken, change.leader) == (0, 1)
    (change,) = curves.takeovers["gnmt"]  # bases 9/6 and 13/6
    assert change.alpha == pytest.approx(math.log(5 / 4) / math.log(13 / 9))


def test_without_a_normaliser_the_lead_never_changes() -> None:
    curves = score_curves(ranked(*SHORT_AND_LONG))
    assert curves.takeovers["none"] == ()
    assert {curves.leader("none", alpha) for alpha in (-2, 0, 2)} == {0}


@pytest.mark.parametrize("kind", NORMALIZERS)
@pytest.mark.parametrize("alpha", [-2.0, -0.35, 0.0, 1.0, 1.85])
def test_a_curve_equals_the_librarys_scores(kind: str, alpha: float) -> None:
    curve = ScoreCurve((0,), 7, -3.25)
    assert curve.score(kind, alpha) == pytest.approx(LengthNormalizer(kind, alpha)(-3.25, 7))


def test_every_normaliser_of_the_library_has_curves() -> None:
    assert set(NORMALIZERS) == set(LIBRARY_KINDS)


@pytest.mark.parametrize("kind", ["power", "gnmt"])
@pytest.mark.parametrize("seed", range(25))
def test_the_changes_of_the_lead_are_those_found_by_trying_every_alpha(kind: str, seed: int) -> None:
    chance = random.Random(seed)
    outputs = [(-chance.uniform(1, 12), chance.randint(1, 25)) for _ in range(chance.randint(2, 9))]
    curves = score_curves(ranked(*outputs))
    changes = curves.takeovers[kind]
    bounds = [curves.low, *(change.alpha for change in changes), curves.high]
    assert bounds == sorted(bounds)
    first = changes[0].overtaken if changes else curves.leader(kind, curves.low)
    leaders = [first, *(change.leader for change in changes)]
    for index in range(4001):
        alpha = -2 + index / 1000
        if min(abs(alpha - bound) for bound in bounds) < 1e-6:
            continue  # level there
        stretch = sum(bound < alpha for bound in bounds[:-1]) - 1
        assert curves.leader(kind, alpha) == leaders[stretch]


def test_the_two_scores_are_equal_and_best_where_the_lead_changes() -> None:
    curves = score_curves(ranked((-2.0, 3), (-3.0, 6), (-4.5, 14), (-6.0, 20), (-9.0, 5)))
    changes = curves.takeovers["power"]
    assert len(changes) == 2
    for change in changes:
        scores = [curves.curve_of(index).score("power", change.alpha) for index in range(5)]
        assert scores[change.leader] == pytest.approx(scores[change.overtaken])
        assert max(scores) == pytest.approx(scores[change.leader])


def test_only_a_longer_output_takes_the_lead() -> None:
    curves = score_curves(ranked((-2.0, 3), (-3.0, 6), (-4.5, 14), (-6.0, 20)))
    for change in curves.takeovers["power"]:
        assert curves.curve_of(change.leader).length > curves.curve_of(change.overtaken).length


def test_the_lead_changes_once_where_three_lines_cross() -> None:
    # At alpha = 1 each scores -1 a token.
    curves = score_curves(ranked((-2.0, 2), (-4.0, 4), (-8.0, 8)))
    (change,) = curves.takeovers["power"]
    assert (change.overtaken, change.leader) == (0, 2)
    assert change.alpha == pytest.approx(1.0)


def test_equal_lengths_never_meet() -> None:
    assert crossing(ScoreCurve((0,), 6, -2.0), ScoreCurve((1,), 6, -3.0), "power") == math.inf
    assert score_curves(ranked((-2.0, 6), (-3.0, 6))).takeovers["power"] == ()


def test_a_meeting_outside_the_range_is_left_out() -> None:
    apart = [ScoreCurve((0,), 10, -1.0), ScoreCurve((1,), 11, -20.0)]
    assert crossing(*apart, "power") == pytest.approx(math.log(20) / math.log(1.1))
    assert takeovers(apart, "power", -2, 2) == ()
    assert len(takeovers(apart, "power", -2, 40)) == 1


def test_a_certain_output_leads_everywhere() -> None:
    curves = score_curves(ranked((0.0, 1), (-0.5, 30)))
    assert curves.takeovers["power"] == ()
    assert all(curves.leader("power", alpha) == 0 for alpha in (-2, 0, 2))
    assert all(math.isfinite(y) for y in score_marks(curves, "power")["axis"]["range"])


def test_an_impossible_output_has_no_curve() -> None:
    curves = score_curves(ranked((-2.0, 3), (-math.inf, 4), (-3.0, 6)))
    assert [curve.hypotheses for curve in curves.curves] == [(0,), (2,)]
    with pytest.raises(KeyError):
        curves.curve_of(1)


def test_equal_outputs_share_a_line() -> None:
    trace = ranked((-2.0, 3), (-3.0, 6))
    first, second = trace.hypotheses
    curves = score_curves(replace(trace, hypotheses=(first, second, first)))
    assert [curve.hypotheses for curve in curves.curves] == [(0, 2), (1,)]
    assert curves.curve_of(2) is curves.curve_of(0)


def test_a_single_distinct_output_has_no_ranking() -> None:
    trace = ranked((-2.0, 3))
    assert score_curves(trace) is None
    assert score_curves(replace(trace, hypotheses=trace.hypotheses * 3)) is None
    assert score_curves(replace(trace, hypotheses=())) is None
    assert scores_captions(trace) == {}


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"normalizer": "gnmt", "length_penalty": 0.6}, ("gnmt", 0.6)),
        ({"length_penalty": 1.0}, ("power", 1.0)),
        ({"temperature": 0.7}, ("none", 0.0)),
    ],
)
def test_the_searchs_own_setting_is_read_from_the_trace(
    settings: dict[str, Any], expected: tuple[str, float]
) -> None:
    assert normalizer_of(ranked(*SHORT_AND_LONG, **settings)) == expected


def test_the_range_holds_the_searchs_own_alpha() -> None:
    curves = score_curves(ranked(*SHORT_AND_LONG, normalizer="power", length_penalty=5.0))
    assert (curves.low, curves.high) == (-2.0, 5.0)


def test_the_caption_names_the_outputs_that_take_the_lead() -> None:
    sentences = scores_captions(ranked(*SHORT_AND_LONG))
    expected = "As α grows, hypothesis 1 leads at first; hypothesis 2 takes the lead at α = 0.32."
    assert sentences["power"] == expected
    assert "flat" in sentences["none"]
    alone = scores_captions(ranked((-2.0, 6), (-3.0, 6)))
    assert alone["gnmt"] == "Hypothesis 1 leads at every α from −2 to 2."


def test_each_output_is_a_straight_line_on_a_logarithmic_axis() -> None:
    figure = checked(score_curve_figure(score_curves(ranked(*SHORT_AND_LONG)), "power"))
    assert figure.layout.yaxis.type == "log"
    short, long = figure.data[:2]
    assert [line.meta for line in (short, long)] == [(0,), (1,)]
    assert set(short.y) == {4.0}  # the first is drawn level
    rises = {round(math.log(after / before), 4) for before, after in zip(long.y, long.y[1:], strict=False)}
    assert rises == {round(-0.05 * math.log(2), 4)}
    assert long.x0 + 80 * long.dx == pytest.approx(2.0)


def test_a_line_carries_its_true_scores() -> None:
    figure = checked(score_curve_figure(score_curves(ranked(*SHORT_AND_LONG)), "power"))
    assert figure.data[1].customdata[60] == pytest.approx(-5 / 8)  # at alpha = 1
    assert figure.data[1].customdata[40] == pytest.approx(-5.0)  # at alpha = 0


def test_the_lines_keep_the_order_of_the_scores() -> None:
    curves = score_curves(ranked((-2.0, 3), (-3.0, 6), (-4.5, 14), (-6.0, 20)))
    lines = checked(score_curve_figure(curves, "gnmt")).data[:4]
    for position in range(81):
        by_height = sorted(range(4), key=lambda index: lines[index].y[position])  # upwards is better
        by_score = sorted(range(4), key=lambda index: -lines[index].customdata[position])
        assert by_height == by_score


def test_without_a_normaliser_every_line_is_flat() -> None:
    for line in checked(score_curve_figure(score_curves(ranked(*SHORT_AND_LONG)), "none")).data[:2]:
        assert len(set(line.y)) == 1
        assert len(set(line.customdata)) == 1


def test_a_change_of_the_lead_is_marked_where_the_lines_meet() -> None:
    curves = score_curves(ranked(*SHORT_AND_LONG))
    *_, changes, _ = checked(score_curve_figure(curves, "power")).data
    assert changes.x[0] == pytest.approx(math.log2(5 / 4), abs=1e-6)
    assert changes.y[0] == pytest.approx(4.0, rel=1e-5)  # on the level line
    assert (changes.text, changes.customdata) == (("0.32",), (1,))
    assert changes.hovertext == ("From α = 0.32 hypothesis 2 overtakes hypothesis 1.",)
    assert changes.hovertext[0] == takeover_sentence(curves.takeovers["power"][0])


def test_line_ends_are_numbered_if_the_labels_fit() -> None:
    def numbers(*outputs: tuple[float, int]) -> list[str]:
        *_, ends = checked(score_curve_figure(score_curves(ranked(*outputs)), "none")).data
        return [text.strip() for text in ends.text]

    assert numbers((-1.0, 3), (-3.0, 6)) == ["1", "2"]
    assert numbers((-1.0, 3), (-1.01, 6), (-9.0, 4)) == ["1", "3"]


def test_the_axis_reads_as_negative_scores_with_the_best_on_top() -> None:
    axis = checked(score_curve_figure(score_curves(ranked(*SHORT_AND_LONG)), "none")).layout.yaxis
    assert axis.range[0] > axis.range[1]
    assert all(text.startswith("−") for text in axis.ticktext)
    assert [10 ** axis.range[1] <= tick <= 10 ** axis.range[0] for tick in axis.tickvals].count(False) == 0


@pytest.mark.parametrize(
    ("low", "high"),
    [(4.4, 7.9), (4.5, 4.51), (2, 110), (0.005, 2500), (1, 9), (1e-6, 1e6), (0.1, 0.7), (1e-300, 1)],
)
def test_an_axis_has_a_few_round_ticks(low: float, high: float) -> None:
    ticks = log_ticks(low, high)
    assert 3 <= len(ticks) <= 8
    assert ticks == sorted(set(ticks))
    assert low <= ticks[0]
    assert ticks[-1] <= high
