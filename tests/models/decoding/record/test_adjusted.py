"""The distribution that the strategy chose by, as the trace records it, against numbers computed by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pytest

from models.decoding.search.constraints import (
    BannedTokens,
    Constraint,
    MinLength,
    NoRepeatNgram,
    RepetitionPenalty,
)
from models.decoding.search.strategy import DecodingStrategy
from models.decoding.strategies.beam_search import BeamSearch
from models.decoding.strategies.greedy import Greedy
from models.decoding.strategies.minimum_bayes_risk import MinimumBayesRisk
from models.decoding.strategies.sampling import Sampling
from models.decoding.strategies.stochastic import StochasticBeamSearch
from models.decoding.trace import DecodedRow, DecodingTrace
from tests.fakes.markov import BOS, EOS, MarkovModel
from tests.models.decoding.search.running import trace_of

A, B, C, D, E = 4, 5, 6, 7, 8
LAW = {A: 0.4, B: 0.3, C: 0.2, D: 0.06, E: 0.04}


def softmax(weights: Mapping[int, float]) -> dict[int, float]:
    """Weights divided by their sum; a weight is a probability to the power of 1 / temperature."""
    return {token: weight / sum(weights.values()) for token, weight in weights.items()}


def first_row(strategy: DecodingStrategy, *constraints: Constraint, **conditions: object) -> DecodedRow:
    """The first row, after the trace was written and read."""
    model = MarkovModel.from_table(9, {BOS: LAW})
    trace = trace_of(model, strategy, 3, constraints=constraints, **conditions)
    return DecodingTrace.from_json(trace.to_json()).steps[0].rows[0]


def chances(row: DecodedRow) -> dict[int, float]:
    """The recorded probabilities that are not 0."""
    assert row.chances is not None
    return {token.token_id: p for token, p in zip(row.top, row.chances, strict=True) if p}


AT_2 = {token: math.sqrt(p) for token, p in LAW.items()}


@pytest.mark.parametrize(
    ("strategy", "constraints", "expected"),
    [
        (Sampling(temperature=2.0), (), AT_2),
        (Sampling(temperature=0.5), (), {token: p * p for token, p in LAW.items()}),
        (Sampling(top_k=3), (), {A: 0.4, B: 0.3, C: 0.2}),
        (Sampling(top_p=0.75), (), {A: 0.4, B: 0.3, C: 0.2}),
        (Sampling(min_p=0.16), (), {A: 0.4, B: 0.3, C: 0.2}),
        # At 2 the first two hold .50 of the roots: top-p comes after the temperature.
        (Sampling(temperature=2.0, top_p=0.6), (), {A: AT_2[A], B: AT_2[B], C: AT_2[C]}),
        (Sampling(), (BannedTokens((A, D), EOS),), {B: 0.3, C: 0.2, E: 0.04}),
        (Sampling(top_k=2), (BannedTokens((A,), EOS),), {B: 0.3, C: 0.2}),
        (MinimumBayesRisk(num_samples=2, temperature=2.0), (), AT_2),
        (StochasticBeamSearch(2, temperature=2.0), (), AT_2),
    ],
)
def test_the_trace_has_the_distribution_that_was_drawn_from(
    strategy: DecodingStrategy, constraints: tuple[Constraint, ...], expected: dict[int, float]
) -> None:
    row = first_row(strategy, *constraints)
    assert chances(row) == pytest.approx(softmax(expected), abs=2e-6)
    assert [math.exp(token.log_prob) for token in row.top] == pytest.approx(
        sorted(LAW.values(), reverse=True)
    )


@pytest.mark.parametrize("strategy", [Greedy(), BeamSearch(2)])
def test_a_search_ranks_by_the_probabilities_that_a_ban_leaves(strategy: DecodingStrategy) -> None:
    row = first_row(strategy, BannedTokens((A, D), EOS))
    assert chances(row) == pytest.approx({B: 0.3, C: 0.2, E: 0.04}, abs=2e-6)
    assert row.allowed is not None
    assert row.allowed[0] == -math.inf


@pytest.mark.parametrize("strategy", [Greedy(), BeamSearch(2), Sampling()])
def test_the_trace_repeats_no_numbers_that_are_the_model_s_own(strategy: DecodingStrategy) -> None:
    row = first_row(strategy, BannedTokens((1,), EOS))  # a token that the model never writes
    assert row.chances is None
    assert row.allowed is None


def test_constraints_and_truncation_are_recorded_apart() -> None:
    row = first_row(Sampling(top_k=2), BannedTokens((B,), EOS))
    logs = [math.log(LAW[token]) for token in (A, C, D, E)]
    assert row.allowed == pytest.approx([logs[0], -math.inf, *logs[1:]], abs=2e-6)
    assert chances(row) == pytest.approx(softmax({A: 0.4, C: 0.2}), abs=2e-6)


def test_a_forced_token_is_all_that_can_be_drawn() -> None:
    assert chances(first_row(Sampling(), forced=(D,))) == {D: 1}
    assert chances(first_row(Greedy(), forced=(D,))) == pytest.approx({D: 0.06}, abs=2e-6)


REPEATING = {BOS: {A: 1.0}, A: {A: 0.7, B: 0.2, EOS: 0.1}, B: {A: 1.0}}


@pytest.mark.parametrize(
    ("constraint", "expected"),
    [
        (NoRepeatNgram(1), {B: 0.2, EOS: 0.1}),
        (RepetitionPenalty(2.0), {A: 0.49, B: 0.2, EOS: 0.1}),
        (MinLength(3, EOS), {A: 0.7, B: 0.2}),
    ],
)
@pytest.mark.parametrize("strategy", [Greedy(), Sampling()])
def test_constraints_on_what_is_written_change_the_second_step(
    strategy: DecodingStrategy, constraint: Constraint, expected: dict[int, float]
) -> None:
    trace = trace_of(MarkovModel.from_table(9, REPEATING), strategy, 2, constraints=(constraint,))
    draws = isinstance(strategy, Sampling)
    assert chances(trace.steps[1].rows[0]) == pytest.approx(
        softmax(expected) if draws else expected, abs=2e-6
    )


def test_a_drawn_token_below_the_recorded_ones_has_its_chance_too() -> None:
    law = {token: 2.0**-rank for rank, token in enumerate(range(4, 18))}
    model = MarkovModel.from_table(18, {BOS: softmax(law)})
    trace = trace_of(model, Sampling(60, temperature=4.0), 2)
    at_4 = softmax({token: weight**0.25 for token, weight in law.items()})
    nodes = trace.steps[0].nodes
    assert any(node.token_rank >= 10 for node in nodes)
    for node in nodes:
        assert node.chance == pytest.approx(at_4[node.token_id], abs=2e-6)
