"""The search, compared with Markov models and exhaustive enumeration."""

from __future__ import annotations

import math
import weakref
from dataclasses import dataclass, replace

import pytest
import torch
from torch import Tensor

from models.decoding.search.strategy import DecodingStrategy, LengthNormalizer
from models.decoding.strategies.beam_search import BeamSearch
from models.decoding.strategies.exact import ExactSearch
from models.decoding.strategies.greedy import Greedy
from models.decoding.strategies.sampling import Sampling
from models.networks.base import DecoderState, EncoderOutput, StepOutput
from tests.fakes.markov import BOS, EOS, MarkovModel, MarkovState
from tests.models.decoding.search.running import finished_of, steps_of, tokens_of

A, B, C, D = 4, 5, 6, 7


@pytest.fixture
def counting() -> MarkovModel:
    """AllenNLP's fixture: start anywhere with .4 .3 .2 .1, then count up to the end."""
    table = {BOS: {A: 0.4, B: 0.3, C: 0.2, D: 0.1}, A: {B: 1.0}, B: {C: 1.0}, C: {D: 1.0}, D: {EOS: 1.0}}
    return MarkovModel.from_table(8, table)


@pytest.fixture
def trap() -> MarkovModel:
    """Greedy takes A (.6) and is left with .6 x .5; the best sequence starts with B: .4 x 1."""
    return MarkovModel.from_table(
        8, {BOS: {A: 0.6, B: 0.4}, A: {C: 0.5, D: 0.5}, B: {C: 1.0}, C: {EOS: 1.0}, D: {EOS: 1.0}}
    )


def test_beam_finds_the_three_best_of_the_counting_model(counting: MarkovModel) -> None:
    result = finished_of(counting, BeamSearch(3), max_length=10)
    assert tokens_of(result) == [(A, B, C, D, EOS), (B, C, D, EOS), (C, D, EOS)]
    assert [x.log_prob for x in result] == pytest.approx([math.log(p) for p in (0.4, 0.3, 0.2)], abs=1e-6)


def test_greedy_falls_into_the_trap_and_a_beam_of_two_does_not(trap: MarkovModel) -> None:
    greedy, beam = finished_of(trap, Greedy(), 5)[0], finished_of(trap, BeamSearch(2), 5)[0]
    assert greedy.tokens == (A, C, EOS)  # C and D tie: the lower id wins
    assert beam.tokens == (B, C, EOS)
    assert (greedy.log_prob, beam.log_prob) == pytest.approx((math.log(0.3), math.log(0.4)), abs=1e-6)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("alpha", [-1.0, 0.0, 0.6, 2.0])
def test_a_wide_beam_is_exhaustive(seed: int, alpha: float) -> None:
    model, length = MarkovModel.random(letters=3, seed=seed), 4
    normalizer = LengthNormalizer("power", alpha)
    scored = [(normalizer(model.log_prob(x), len(x)), x) for x in model.sequences(length)]
    oracle = sorted((pair for pair in scored if pair[0] > -math.inf), reverse=True)
    result = finished_of(model, BeamSearch(100, normalizer, early_stopping="never"), length)
    assert [x.score for x in result] == pytest.approx([score for score, _ in oracle[:100]], abs=1e-5)
    assert result[0].tokens == oracle[0][1]


@pytest.mark.parametrize("seed", range(8))
def test_a_beam_of_one_is_greedy(seed: int) -> None:
    model = MarkovModel.random(letters=6, seed=seed)
    assert finished_of(model, BeamSearch(1), 12)[0].tokens == finished_of(model, Greedy(), 12)[0].tokens


@pytest.mark.parametrize("strategy", [Greedy(), BeamSearch(3), BeamSearch(4, early_stopping=True)])
def test_every_score_is_the_sum_of_the_model_s_log_probabilities(strategy: Greedy | BeamSearch) -> None:
    model = MarkovModel.random(letters=5, seed=3)
    for sequence in finished_of(model, strategy, 10):
        assert sequence.log_prob == pytest.approx(model.log_prob(sequence.tokens), abs=1e-5)


def test_the_length_limit_cuts_outputs_and_marks_them() -> None:
    model = MarkovModel.from_table(8, {BOS: {A: 1.0}, A: {A: 1.0}})
    result = finished_of(model, BeamSearch(2), max_length=3)
    assert tokens_of(result) == [(A, A, A)]
    assert not result[0].ended


def test_alpha_never_changes_the_running_order() -> None:
    model = MarkovModel.random(letters=5, seed=1)
    short, long = (BeamSearch(3, LengthNormalizer("power", alpha), "never") for alpha in (-2.0, 2.0))
    for left, right in zip(steps_of(model, short, 8), steps_of(model, long, 8), strict=False):
        assert torch.equal(left.candidates.tokens, right.candidates.tokens)


def test_early_stopping_modes_stop_in_their_order() -> None:
    model = MarkovModel.random(letters=5, seed=2, end_bias=3.0)
    lengths = [
        len(steps_of(model, BeamSearch(3, LengthNormalizer("power", 1.0), mode), 30))
        for mode in (True, False, "never")
    ]
    assert lengths[0] <= lengths[1] <= lengths[2]
    assert lengths[0] < lengths[2]


def test_a_batch_decodes_as_its_sentences_do_alone() -> None:
    from models.networks.architectures import build_model
    from models.networks.recurrent.config import RecurrentConfig

    torch.manual_seed(0)
    model = build_model(RecurrentConfig(d_embed=8, d_model=16, d_attention=8), 12, 0)
    src = torch.randint(4, 12, (5, 6), generator=torch.Generator().manual_seed(1))
    together = steps_of(model, BeamSearch(3), 12, src)[-1].pools
    for row, pool in enumerate(together):
        alone = steps_of(model, BeamSearch(3), 12, src[row : row + 1])[-1].pools[0]
        assert tokens_of(pool.sequences) == tokens_of(alone.sequences)
        assert [x.score for x in pool.sequences] == pytest.approx(
            [x.score for x in alone.sequences], abs=1e-5
        )


@dataclass(frozen=True)
class _WatchingState(MarkovState):
    """A state that records, whenever it is reordered, whether the state before its step still exists."""

    exists: list[bool]
    previous: weakref.ref[DecoderState] | None = None

    def reorder(self, rows: Tensor, same_source: bool = False, rows_per_source: int = 1) -> _WatchingState:
        if self.previous is not None:
            self.exists.append(self.previous() is not None)
        return replace(self, rows=self.rows.index_select(0, rows), previous=None)


class _WatchedModel(MarkovModel):
    exists: list[bool]

    def initial_state(self, encoded: EncoderOutput) -> MarkovState:
        self.exists = []
        return _WatchingState(super().initial_state(encoded).rows, self.exists)

    def step(self, tokens: Tensor, state: DecoderState, override: Tensor | None = None) -> StepOutput:
        assert isinstance(state, _WatchingState)
        after = replace(state, previous=weakref.ref(state))
        return replace(super().step(tokens, state, override), state=after)


@pytest.mark.parametrize("strategy", [BeamSearch(3), Sampling(3), ExactSearch()], ids=lambda one: one.name)
def test_the_state_before_a_step_is_freed_before_its_successor_is_reordered(
    strategy: DecodingStrategy,
) -> None:
    model = _WatchedModel(MarkovModel.random(letters=5, seed=2).law)
    steps_of(model, strategy, 5)
    assert model.exists
    assert not any(model.exists)


def test_samples_replay_from_their_seed_and_differ_between_seeds() -> None:
    model = MarkovModel.random(letters=6, seed=0)
    first, again, other = (tokens_of(finished_of(model, Sampling(8), 12, seed)) for seed in (1, 1, 2))
    assert first == again != other


@pytest.mark.slow
def test_samples_have_the_frequencies_of_the_model() -> None:
    model = MarkovModel.from_table(8, {BOS: {A: 0.5, B: 0.3, C: 0.2}})
    counts = {A: 0, B: 0, C: 0}
    for seed in range(80):
        for sequence in finished_of(model, Sampling(100), 3, seed):
            counts[sequence.tokens[0]] += 1
    # 8,000 draws: three standard deviations are below .017.
    assert [counts[token] / 8000 for token in (A, B, C)] == pytest.approx([0.5, 0.3, 0.2], abs=0.017)


@pytest.mark.parametrize(
    ("strategy", "allowed"),
    [(Sampling(64, top_k=2), {A, B}), (Sampling(64, top_p=0.5), {A}), (Sampling(64, top_p=0.51), {A, B})],
)
def test_truncation_keeps_exactly_the_allowed_tokens(strategy: Sampling, allowed: set[int]) -> None:
    model = MarkovModel.from_table(8, {BOS: {A: 0.5, B: 0.3, C: 0.2}})
    drawn = {sequence.tokens[0] for sequence in finished_of(model, strategy, 3)}
    assert drawn == allowed


def test_a_low_temperature_is_greedy_and_keeps_the_model_s_own_log_probability() -> None:
    model = MarkovModel.random(letters=5, seed=4)
    cold, greedy = (
        finished_of(model, Sampling(1, temperature=0.01), 10)[0],
        finished_of(model, Greedy(), 10)[0],
    )
    assert cold.tokens == greedy.tokens
    assert cold.log_prob == pytest.approx(greedy.log_prob, abs=1e-5)


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: LengthNormalizer("power", 1e6), "length_penalty"),
        (lambda: LengthNormalizer("median"), "normalizer"),
    ],
)
def test_a_bad_setting_is_refused_with_a_sentence(make, name: str) -> None:
    with pytest.raises(ValueError, match=name):
        make()
