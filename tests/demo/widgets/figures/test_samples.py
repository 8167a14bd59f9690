"""The cloud of samples and the matrix of their utilities: computation and drawing."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from demo.widgets.figures.samples import (
    MAX_DIAMETER,
    MAX_NUMBERS,
    MIN_DIAMETER,
    diameter,
    sample_cloud,
    sample_cloud_figure,
    utility_map,
    utility_matrix_figure,
)
from models.decoding.trace import DecodingTrace, Hypothesis, Utilities
from tests.demo.widgets.figures.figure_check import checked


def sampled(*outputs: tuple[tuple[int, ...], float], strategy: str = "sampling") -> DecodingTrace:
    """A trace of samples: token ids and probability of each."""
    hypotheses = tuple(
        Hypothesis(0, token_ids, " ".join(map(str, token_ids)), math.log(p), math.log(p), True)
        for token_ids, p in outputs
    )
    return DecodingTrace("hand-made", "", (), strategy, {}, (), hypotheses)


@pytest.fixture
def trace() -> DecodingTrace:
    return sampled(((5, 3), 0.4), ((5, 6, 3), 0.1), ((5, 3), 0.4), ((3,), 0.05))


def test_equal_samples_are_one_point(trace: DecodingTrace) -> None:
    cloud = sample_cloud(trace)
    assert [point.hypotheses for point in cloud.points] == [(0, 2), (1,), (3,)]
    assert [(point.length, point.count) for point in cloud.points] == [(2, 2), (3, 1), (1, 1)]
    assert cloud.samples == 4


def test_the_mass_counts_each_different_output_once(trace: DecodingTrace) -> None:
    assert sample_cloud(trace).mass == pytest.approx(0.4 + 0.1 + 0.05)


@pytest.mark.parametrize("strategy", ["greedy", "beam", "diverse", "exact"])
def test_a_search_has_no_cloud(strategy: str) -> None:
    assert sample_cloud(sampled(((5, 3), 0.4), strategy=strategy)) is None


def test_a_trace_without_finished_samples_has_no_cloud() -> None:
    assert sample_cloud(sampled()) is None


def test_the_area_of_a_point_grows_with_its_share() -> None:
    assert diameter(1, 100) == MIN_DIAMETER
    assert diameter(100, 100) == MAX_DIAMETER
    half = diameter(51, 101) ** 2
    assert half == pytest.approx((MIN_DIAMETER**2 + MAX_DIAMETER**2) / 2, rel=0.02)
    assert diameter(1, 1) == MIN_DIAMETER


def test_the_cloud_is_drawn_at_length_and_log_probability(trace: DecodingTrace) -> None:
    figure = checked(sample_cloud_figure(sample_cloud(trace)))
    (points,) = figure.data
    assert list(points.x) == [2, 3, 1]
    assert list(points.y) == [round(math.log(p), 3) for p in (0.4, 0.1, 0.05)]
    assert list(points.customdata) == [0, 1, 3]


def minimum_risk_trace(count: int) -> DecodingTrace:
    matrix = tuple(tuple(100.0 if i == j else 10.0 * i for j in range(count)) for i in range(count))
    outputs = sampled(*(((index, 3), 0.1) for index in range(count)), strategy="mbr")
    return replace(outputs, utilities=Utilities("chrf", "chrF2|version", matrix))


def test_only_minimum_bayes_risk_has_utilities(trace: DecodingTrace) -> None:
    assert utility_map(trace) is None
    assert utility_map(minimum_risk_trace(3)).metric == "chrF"


def test_the_expected_utility_is_the_mean_of_a_row() -> None:
    assert utility_map(minimum_risk_trace(3)).expected == pytest.approx((100 / 3, 120 / 3, 140 / 3))


def test_the_matrix_is_drawn_with_its_means() -> None:
    figure = checked(utility_matrix_figure(utility_map(minimum_risk_trace(3))))
    assert [list(row) for row in figure.data[0].z] == [[100, 0, 0], [10, 100, 10], [20, 20, 100]]
    assert [note.text for note in figure.layout.annotations] == ["expected", "33.3", "40.0", "46.7"]
    assert figure.data[0].texttemplate == "%{z:.0f}"


def test_the_matrix_of_many_samples_has_no_numbers_and_stays_small() -> None:
    figure = checked(utility_matrix_figure(utility_map(minimum_risk_trace(100))))
    assert figure.layout.height < 600
    assert figure.data[0].texttemplate is None
    assert len(figure.layout.xaxis.tickvals) <= 21
    assert (
        checked(utility_matrix_figure(utility_map(minimum_risk_trace(MAX_NUMBERS + 1)))).data[0].texttemplate
        is None
    )
