"""Stochastic beam search against the exact inclusion probabilities of a toy tree (Kool et al. 2019)."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from unittest import mock

import pytest
import torch

from models.batch import Batch
from models.decoding.search.beam import Beam, Candidates, FinishedSequence
from models.decoding.strategies import stochastic
from models.decoding.strategies.stochastic import StochasticBeamSearch, conditional_gumbel
from models.networks.base import DecoderState, EncoderOutput, Seq2SeqModel, StepOutput
from tests.fakes.markov import EOS, MarkovModel, MarkovState
from tests.models.decoding.search.running import finished_of, steps_of, trace_of

A, B = 4, 5
# Sequences and their probabilities, and for two draws without replacement how often each is among them.
LEAVES = {
    (A, A, EOS): (0.05, 0.1108),
    (A, B, EOS): (0.30, 0.5519),
    (A, EOS): (0.15, 0.3138),
    (B, A, EOS): (0.21, 0.4205),
    (B, B, EOS): (0.03, 0.0671),
    (B, EOS): (0.06, 0.1323),
    (EOS,): (0.20, 0.4037),
}
DRAWS, SEEDS = 4_000, 10
gumbel = stochastic._gumbel
EXPECTED_LENGTH = sum(len(leaf) * p for leaf, (p, _) in LEAVES.items())  # 2.39


class TreeModel(Seq2SeqModel):
    """The toy tree: the next token's law depends on all tokens so far, at most two."""

    def __init__(self) -> None:
        super().__init__()
        self.vocab_size = 6
        self.anchor = torch.nn.Parameter(torch.zeros(1), requires_grad=False)
        # After A, B and their children: laws over the vocabulary by the last token and the depth.
        law = torch.zeros(3, 6, 6)
        law[0, :, [A, B, EOS]] = torch.tensor([0.50, 0.30, 0.20])
        law[1, A, [A, B, EOS]] = torch.tensor([0.10, 0.60, 0.30])
        law[1, B, [A, B, EOS]] = torch.tensor([0.70, 0.10, 0.20])
        law[1, [0, 1, 2, 3], EOS] = 1.0
        law[2, :, EOS] = 1.0
        self.law = law

    def encode(self, src: torch.Tensor, src_mask: torch.Tensor) -> EncoderOutput:
        return EncoderOutput(torch.zeros(*src.shape, 1), src_mask)

    def initial_state(self, encoded: EncoderOutput) -> DecoderState:
        return MarkovState(torch.zeros(encoded.memory.shape[0], dtype=torch.int64))

    def step(self, tokens: torch.Tensor, state: DecoderState, override: object = None) -> StepOutput:
        assert isinstance(state, MarkovState)
        logits = self.law[state.rows.clamp_max(2), tokens].log()
        return StepOutput(logits, MarkovState(state.rows + 1), hidden=logits)

    def features(self, batch: Batch) -> torch.Tensor:
        raise NotImplementedError

    def project(self, features: torch.Tensor) -> torch.Tensor:
        raise NotImplementedError


class BeamWithRootAtZero(StochasticBeamSearch):
    """A faulty variant in which the root's perturbed value is 0 instead of a draw."""

    def expand(self, log_probs: torch.Tensor, beam: Beam, rng: torch.Generator) -> Candidates:
        if beam.tempered is None:
            beam = replace(beam, tempered=torch.zeros(beam.rank_scores.shape, dtype=torch.float64))
        return super().expand(log_probs, beam, rng)


def independent_gumbel(shape: tuple[int, ...], rng: torch.Generator) -> torch.Tensor:
    """Independent draws for each sentence, whereas a search draws the same for all."""
    return gumbel((1, *shape), rng)[0]


@lru_cache
def draws(strategy: StochasticBeamSearch, seeds: int = SEEDS) -> list[list[FinishedSequence]]:
    """Draws of three sequences, 4,000 at a time; the third one gives the weights of the first two."""
    src = torch.full((DRAWS, 1), 5)
    result = []
    with mock.patch.object(stochastic, "_gumbel", independent_gumbel):
        for seed in range(seeds):
            step = steps_of(TreeModel(), strategy, 5, src, seed=seed)[-1]
            result += [pool.sequences for pool in step.pools]
    return result


HONEST, CARELESS = StochasticBeamSearch(3), BeamWithRootAtZero(3)


def test_the_stochastic_beam_reproduces_the_trees_probabilities() -> None:
    model = TreeModel()
    everything = finished_of(model, StochasticBeamSearch(7), 5)
    assert {output.tokens: math.exp(output.log_prob) for output in everything} == pytest.approx(
        {leaf: p for leaf, (p, _) in LEAVES.items()}
    )


@pytest.mark.full
def test_the_inclusion_probabilities_are_exact() -> None:
    counts = dict.fromkeys(LEAVES, 0)
    for finished in draws(HONEST):
        for output in finished[:2]:
            counts[output.tokens] += 1
    shares = {leaf: count / len(draws(HONEST)) for leaf, count in counts.items()}
    assert shares == pytest.approx({leaf: share for leaf, (_, share) in LEAVES.items()}, abs=0.004)


@pytest.mark.full
def test_the_first_draw_is_a_plain_sample() -> None:
    counts = dict.fromkeys(LEAVES, 0)
    for finished in draws(HONEST):
        counts[finished[0].tokens] += 1
    shares = {leaf: count / len(draws(HONEST)) for leaf, count in counts.items()}
    # Three standard deviations of 40,000 draws are below .0075.
    assert shares == pytest.approx({leaf: p for leaf, (p, _) in LEAVES.items()}, abs=0.0075)


@pytest.mark.slow
def test_all_draws_differ_and_stand_in_order() -> None:
    for finished in draws(HONEST, 1)[:500]:
        assert len({output.tokens for output in finished}) == 3
        assert [output.key for output in finished] == sorted(
            (output.key for output in finished), reverse=True
        )


def estimated_length(drawn: list[list[FinishedSequence]]) -> float:
    """The importance-weighted mean length (Kool et al. 2019, equation 10)."""
    total = 0.0
    for finished in drawn:
        threshold = finished[2].rank_score
        for output in finished[:2]:
            inclusion = -math.expm1(-math.exp(output.log_prob - threshold))
            total += math.exp(output.log_prob) / inclusion * len(output.tokens)
    return total / len(drawn)


@pytest.mark.full
def test_the_importance_weighted_length_is_unbiased_and_needs_a_drawn_root() -> None:
    assert estimated_length(draws(HONEST)) == pytest.approx(EXPECTED_LENGTH, abs=0.02)
    assert estimated_length(draws(CARELESS, 3)) == pytest.approx(2.109, abs=0.02)


def test_the_maximum_of_conditional_gumbels_equals_the_parents() -> None:
    phi = torch.randn(3, 4, 9, dtype=torch.float64) * 3
    phi[:, :, 2] = -torch.inf
    maximum = torch.randn(3, 4, dtype=torch.float64)
    conditioned = conditional_gumbel(phi, maximum, torch.Generator().manual_seed(0))
    assert torch.allclose(conditioned.amax(dim=-1), maximum)
    assert (conditioned[:, :, 2] == -torch.inf).all()
    assert not conditioned.isnan().any()


def test_a_temperature_changes_draws_and_not_recorded_probabilities() -> None:
    model = MarkovModel.random(letters=4, seed=0)
    hot = finished_of(model, StochasticBeamSearch(4, temperature=5.0), 6, seed=1)
    for output in hot:
        assert output.log_prob == pytest.approx(model.log_prob(output.tokens), abs=1e-4)
    cold_model = TreeModel()
    first = [finished_of(cold_model, StochasticBeamSearch(1, temperature=0.05), 5, s)[0] for s in range(40)]
    assert {output.tokens for output in first} == {(A, B, EOS)}  # .5^20 x .6^20 leaves the others no chance


def test_a_seed_replays() -> None:
    model = MarkovModel.random(letters=5, seed=3)
    one, again, other = (
        [output.tokens for output in finished_of(model, StochasticBeamSearch(5), 9, seed)]
        for seed in (7, 7, 8)
    )
    assert one == again != other


def test_the_trace_shows_the_perturbed_values_beside_the_model_s_own() -> None:
    trace = trace_of(MarkovModel.random(letters=5, seed=3), StochasticBeamSearch(4), 8)
    assert all(node.rank_score is not None for node in trace.nodes.values())
    rank_scores = [hypothesis.rank_score for hypothesis in trace.hypotheses]
    assert rank_scores == sorted(rank_scores, reverse=True)
    for node in trace.nodes.values():
        if node.parent is not None:
            assert node.rank_score <= trace.nodes[node.parent].rank_score + 1e-5
