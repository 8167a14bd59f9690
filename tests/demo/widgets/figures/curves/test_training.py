from __future__ import annotations

import math
import random

import pytest

from demo.widgets.captions.run import chart_sentences
from demo.widgets.figures.attention import probe_figure, shown_rows
from demo.widgets.figures.curves.training import (
    CHARTS,
    MAX_POINTS,
    TrainingCurve,
    curve_figure,
    sample_indices,
    training_curves,
)
from tests.demo.widgets.figures.figure_check import checked
from tests.fakes.training.run_events import REFERENCE, SOURCE, completed, evaluated, probed, run_events


def drawn_chart(chart, curves, earlier=None, score="exact_match"):
    return checked(curve_figure(chart, curves, earlier or {}, score))


def traces(figure) -> dict[str, object]:
    return {trace.name: trace for trace in figure.data}


def test_the_curves_equal_the_reported_values() -> None:
    events = [
        completed(10, loss=2.0, gradient_norm=3.0, clipped_norm=1.0, learning_rate=0.1),
        completed(20, loss=1.0, gradient_norm=0.5, clipped_norm=0.5, learning_rate=0.2),
        evaluated(20, loss=1.5),
        evaluated(40, loss=1.7, best=False),
    ]
    curves = training_curves(events)
    assert curves.train == TrainingCurve((10, 20), (2.0, 1.0))
    assert curves.valid == TrainingCurve((20, 40), (1.5, 1.7))
    assert curves.best == (20, 1.5)
    assert curves.rate == TrainingCurve((10, 20), (0.1, 0.2))
    assert curves.before == TrainingCurve((10, 20), (3.0, 0.5))
    assert curves.after == TrainingCurve((10, 20), (1.0, 0.5))
    assert curves.clips


def test_the_chosen_score_is_drawn() -> None:
    events = [evaluated(1200)]
    assert training_curves(events, "exact_match").score.values == (63.2,)
    assert training_curves(events, "bleu").score.values == (57.45,)


def test_infinite_losses_are_left_out_of_the_curve() -> None:
    curves = training_curves([completed(10, loss=math.nan), completed(20, loss=1.0), evaluated(20, math.inf)])
    assert curves.train == TrainingCurve((20,), (1.0,))
    assert (curves.valid, curves.best) == (TrainingCurve(), None)


def test_without_events_every_chart_is_empty() -> None:
    curves = training_curves([])
    for chart in CHARTS:
        assert all(len(trace.x) == 0 for trace in drawn_chart(chart, curves).data)


@pytest.mark.parametrize("length", [5, 599, 600, 601, 1200, 7001])
def test_thinning_keeps_ends_extremes_and_the_limit(length: int) -> None:
    values = [random.Random(length).gauss(0, 1) for _ in range(length)]
    values[length // 3], values[length // 2] = 50.0, -50.0
    indices = sample_indices(values, MAX_POINTS)
    assert indices == sorted(set(indices))
    assert {0, length // 3, length // 2, length - 1} <= set(indices)
    assert len(indices) <= MAX_POINTS
    assert length > MAX_POINTS or indices == list(range(length))


def test_the_loss_chart_marks_the_best_evaluation() -> None:
    drawn = traces(drawn_chart("loss", training_curves(run_events(1000))))
    assert list(drawn) == ["training", "validation", "best"]
    assert drawn["best"].x == (1000,)


def test_a_second_curve_of_the_gradient_appears_only_after_clipping() -> None:
    clipped = training_curves([completed(10, gradient_norm=2.0, clipped_norm=1.0)])
    free = training_curves([completed(10, gradient_norm=0.5, clipped_norm=0.5)])
    assert list(traces(drawn_chart("norm", clipped))) == ["before clipping", "after clipping"]
    assert list(traces(drawn_chart("norm", free))) == ["before clipping"]


def test_the_threshold_of_clipping_is_a_level_line_in_the_norms_chart_alone() -> None:
    events = [completed(10), completed(20)]
    curves = training_curves(events, clip_norm=1.5)
    drawn = {chart: traces(drawn_chart(chart, curves)) for chart in CHARTS}
    level = drawn["norm"]["clipping threshold"]
    assert (list(level.x), list(level.y)) == ([0, 20], [1.5, 1.5])
    assert "clipped above 1.5" in level.text
    assert [chart for chart in CHARTS if "clipping threshold" in drawn[chart]] == ["norm"]
    assert "clipping threshold" not in traces(drawn_chart("norm", training_curves(events)))
    assert "Norms above 1.5 are clipped." in chart_sentences(curves, "bleu")["norm"]


def test_earlier_runs_are_drawn_behind_and_their_titles_are_text() -> None:
    curves = training_curves(run_events(400))
    earlier = {"<b>one</b>": training_curves(run_events(800)), "two": curves}
    figure = drawn_chart("loss", curves, earlier)
    first, second = figure.data[:2]
    assert first.name == "&lt;b&gt;one&lt;/b&gt;"
    assert "<b>" not in first.hovertemplate
    assert first.line.dash != second.line.dash
    assert figure.layout.xaxis.range[1] >= 800  # the longer run is seen to its end


def test_all_charts_share_their_steps() -> None:
    curves = training_curves(run_events(1000))
    assert len({drawn_chart(chart, curves).layout.xaxis.range for chart in CHARTS}) == 1


def test_the_frame_of_the_probe_has_room_for_the_longest_output_that_matters() -> None:
    probes = [probed(step) for step in (200, 2400)]
    figure = checked(probe_figure(probes))
    source = tuple(token.replace("<", "&lt;").replace(">", "&gt;") for token in SOURCE)
    assert figure.layout.xaxis.ticktext == source
    assert figure.layout.yaxis.range == (len(REFERENCE) - 0.5, -0.5)
    assert figure.layout.xaxis.range == (-0.5, len(SOURCE) - 0.5)


def test_a_long_output_of_an_untrained_model_is_cut() -> None:
    babble = probed(200)
    babble = type(babble)(**{**babble.__dict__, "free_running": babble.free_running * 7})
    assert shown_rows([babble, probed(2400)]) == len(REFERENCE) + 2


def test_a_run_without_attention_has_no_frame() -> None:
    assert probe_figure([probed(200, attention=False)]) is None
    assert probe_figure([]) is None
