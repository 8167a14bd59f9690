"""A search for the best output alone finds the same output sooner."""

from __future__ import annotations

import pytest

from models.decoding.options import DecodingOptions
from models.decoding.search.beam import FinishedSequence
from models.decoding.search.constraints import RepetitionPenalty
from models.decoding.search.strategy import NORMALIZER_KINDS, DecodingStrategy
from models.decoding.strategies import names
from tests.fakes.markov import MarkovModel
from tests.grids import full_only
from tests.models.decoding.search.running import steps_of

LENGTH = 9
NETWORKS = range(40)


def best_of(options: DecodingOptions, seed: int, **constraints: object) -> tuple[FinishedSequence, int]:
    """The best sequence, and how many prefixes were expanded for it."""
    model = MarkovModel.random(letters=6, seed=seed, end_bias=seed % 4)
    last = steps_of(model, options.build_strategy(), LENGTH, **constraints)[-1]
    return last.pools[0].sequences[0], last.expanded


def expanded_prefixes(options: DecodingOptions, **constraints: object) -> list[tuple[int, int]]:
    """The expanded prefixes of each network, for all kept sequences and for the best alone."""
    expanded = []
    for seed in NETWORKS:
        (best, many), (again, few) = (
            best_of(options, seed, only_best=only_best, **constraints) for only_best in (False, True)
        )
        assert (best.tokens, best.log_prob, best.score) == (again.tokens, again.log_prob, again.score)
        expanded.append((many, few))
    return expanded


@pytest.mark.slow
@pytest.mark.parametrize("strategy", [name for name in names() if name != "exhaustive"])
def test_the_best_is_the_same_by_every_strategy(strategy: str) -> None:
    assert all(few <= many for many, few in expanded_prefixes(DecodingOptions(strategy, max_length=LENGTH)))


@pytest.mark.parametrize("early_stopping", ["true", "false", "never"])
@pytest.mark.parametrize("alpha", [-1.0, *full_only([0.0, 0.6, 3.0])])
@pytest.mark.parametrize("normalizer", NORMALIZER_KINDS)
def test_ending_a_beam_early_does_not_change_its_best_output(
    normalizer: str, alpha: float, early_stopping: str
) -> None:
    expanded_prefixes(
        DecodingOptions(
            "beam", normalizer=normalizer, length_penalty=alpha, early_stopping=early_stopping, beam_size=5
        )
    )


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["beam", "diverse", "threshold"])
@pytest.mark.parametrize("penalty", [0.5, 3.0])
def test_a_penalty_does_not_change_the_best_output(strategy: str, penalty: float) -> None:
    expanded_prefixes(DecodingOptions(strategy, length_penalty=1.0), constraints=[RepetitionPenalty(penalty)])


@pytest.mark.parametrize("strategy", names())
def test_strategies_that_compare_all_outputs_do_not_stop_early(strategy: str) -> None:
    kind = type(DecodingOptions(strategy).build_strategy())
    if kind.best_text is not DecodingStrategy.best_text:
        assert kind.greatest_penalty is DecodingStrategy.greatest_penalty


def test_a_beam_ends_once_nothing_beats_its_best() -> None:
    expanded = expanded_prefixes(DecodingOptions("beam"))
    assert sum(few for _, few in expanded) < 0.7 * sum(many for many, _ in expanded)
