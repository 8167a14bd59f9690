"""The first pass returns only outputs that the beam would find, or none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from models.decoding.options import DecodingOptions
from models.decoding.outputs import first_pass, proven
from models.decoding.search.constraints import NoRepeatNgram
from models.decoding.search.strategy import DecodingStrategy
from models.decoding.strategies.beam_search import BeamSearch
from tests.fakes.markov import MarkovModel
from tests.models.decoding.search.running import steps_of

LENGTH = 9
BOUNDS = [
    DecodingOptions("beam", beam_size=5),
    DecodingOptions("beam", beam_size=2, length_penalty=-0.7),
    DecodingOptions("beam", beam_size=9, length_penalty=0.8, early_stopping="never"),
    DecodingOptions("threshold", threshold=0.3),
]


@pytest.mark.parametrize("options", BOUNDS, ids=lambda options: f"{options.strategy}-{options.beam_size}")
def test_a_proven_output_is_that_of_the_beam(options: DecodingOptions) -> None:
    strategy, count = options.build_strategy(), 0
    greedy = first_pass(strategy, ())
    assert greedy is not None
    assert greedy.width == 1
    for seed in range(60):
        model = MarkovModel.random(letters=6, seed=seed, end_bias=seed % 4)
        (pool,) = steps_of(model, greedy, LENGTH, only_best=True)[-1].pools
        best = proven(pool.sequences, strategy, LENGTH)
        if best is not None:
            count += 1
            expected = steps_of(model, strategy, LENGTH)[-1].pools[0].sequences[0]
            assert best.tokens == expected.tokens
            assert (best.key, best.score) == pytest.approx((expected.key, expected.score))
    assert 0 < count < 60


def test_a_sentence_leaves_the_pass_once_no_proof_is_possible() -> None:
    strategy = BeamSearch(4)
    greedy = first_pass(strategy, ())
    assert greedy is not None
    early = 0
    for seed in range(20):
        steps = steps_of(
            MarkovModel.random(letters=6, seed=seed, end_bias=-3), greedy, LENGTH, only_best=True
        )
        totals = [step.candidates.rank_scores[0].tolist() for step in steps]
        hopeless = [
            totals[index][0] <= max(row[1] for row in totals[: index + 1]) for index in range(len(steps))
        ]
        assert not any(hopeless[:-1])
        early += hopeless[-1] and len(steps) < LENGTH
    assert early


@pytest.mark.parametrize(
    "strategy",
    [
        DecodingOptions("greedy").build_strategy(),
        DecodingOptions("sampling").build_strategy(),
        DecodingOptions("diverse").build_strategy(),
        DecodingOptions("exhaustive").build_strategy(),
        BeamSearch(1),
        replace(BeamSearch(4), early_stopping=True),
        DecodingOptions("beam", length_penalty=1.0).build_strategy(),
    ],
    ids=repr,
)
def test_a_search_with_early_stopping_or_another_ranking_has_no_first_pass(
    strategy: DecodingStrategy,
) -> None:
    assert first_pass(strategy, ()) is None


def test_constraints_rule_out_the_first_pass() -> None:
    assert first_pass(BeamSearch(4), [NoRepeatNgram(2)]) is None
