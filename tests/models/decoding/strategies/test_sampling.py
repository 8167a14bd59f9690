"""Sampling: the tokens that a step may draw, by hand, and the replay of every sample."""

from __future__ import annotations

import math

import pytest
import torch

from models.decoding.search.beam import Beam
from models.decoding.search.constraints import min_p_only
from models.decoding.status import Reason, Status
from models.decoding.strategies.minimum_bayes_risk import MinimumBayesRisk
from models.decoding.strategies.sampling import Sampling
from tests.fakes.markov import BOS, EOS, MarkovModel
from tests.models.decoding.search.running import finished_of, steps_of, tokens_of, trace_of

A, B, C, D, E = 4, 5, 6, 7, 8
LAW = {A: 0.4, B: 0.3, C: 0.2, D: 0.06, E: 0.04}


def first_tokens(strategy: Sampling) -> set[int]:
    """The first tokens of 640 draws."""
    model = MarkovModel.from_table(9, {BOS: LAW})
    return {output.tokens[0] for seed in range(10) for output in finished_of(model, strategy, 2, seed)}


@pytest.mark.parametrize(
    ("settings", "allowed"),
    [
        ({}, {A, B, C, D, E}),
        ({"min_p": 0.14}, {A, B, C, D}),  # .14 x .4 = .056
        ({"min_p": 0.16}, {A, B, C}),
        ({"min_p": 1.0}, {A}),
        # The temperature comes first: at 2 the ratio of D to A is .39 instead of .15.
        ({"temperature": 2.0, "min_p": 0.35}, {A, B, C, D}),
        ({"temperature": 0.5, "min_p": 0.35}, {A, B}),
        # Among the first three, A and B hold .78 and A .44: top-k comes before top-p.
        ({"top_k": 3, "top_p": 0.75}, {A, B}),
        ({"top_p": 0.75}, {A, B, C}),
        # The temperature comes before top-p: at .5 the first two hold .82 of the squares, at 1 only .7.
        ({"temperature": 0.5, "top_p": 0.8}, {A, B}),
        ({"top_p": 0.8}, {A, B, C}),
    ],
    ids=str,
)
def test_only_tokens_left_by_the_truncations_are_drawn(settings: dict[str, float], allowed: set[int]) -> None:
    assert first_tokens(Sampling(64, **settings)) == allowed


@pytest.mark.slow
def test_a_temperature_changes_frequencies_and_not_recorded_probabilities() -> None:
    model = MarkovModel.from_table(9, {BOS: LAW})
    strategy, counts = Sampling(100, temperature=2.0), dict.fromkeys(LAW, 0)
    for seed in range(80):
        for output in finished_of(model, strategy, 2, seed):
            counts[output.tokens[0]] += 1
            assert output.log_prob == pytest.approx(math.log(LAW[output.tokens[0]]), abs=1e-5)
    roots = {token: math.sqrt(p) for token, p in LAW.items()}
    expected = {token: root / sum(roots.values()) for token, root in roots.items()}
    # 8,000 draws: three standard deviations are below .017.
    assert {token: count / 8000 for token, count in counts.items()} == pytest.approx(expected, abs=0.017)


def test_min_p_is_a_share_of_the_likeliest() -> None:
    log_probs = torch.tensor([[0.5, 0.3, 0.15, 0.05], [0.97, 0.01, 0.01, 0.01]]).log()
    retained = min_p_only(log_probs, 0.25)
    assert retained.isfinite().tolist() == [[True, True, True, False], [True, False, False, False]]
    assert torch.equal(retained[retained.isfinite()], log_probs[retained.isfinite()])
    assert min_p_only(log_probs, 0.0) is log_probs


@pytest.mark.parametrize("strategy", [Sampling(6, temperature=1.3), MinimumBayesRisk(6)])
def test_a_seed_replays_every_sample_with_its_numbers(strategy: Sampling) -> None:
    model = MarkovModel.random(letters=6, seed=2)
    first, again, other = (finished_of(model, strategy, 12, seed) for seed in (5, 5, 6))
    assert first == again
    assert tokens_of(first) != tokens_of(other)
    assert len({output.tokens for output in first}) > 1, "samples of one seed are independent"


def test_a_sentence_draws_the_same_samples_in_any_batch() -> None:
    model = MarkovModel.random(letters=6, seed=2)
    last = steps_of(model, Sampling(4), 12, torch.full((3, 2), 5), seed=1)[-1]
    alone = tokens_of(finished_of(model, Sampling(4), 12, seed=1))
    assert len(set(alone)) > 1
    assert [tokens_of(pool.sequences) for pool in last.pools] == [alone] * 3


def test_a_sample_ends_at_its_first_end_token() -> None:
    model = MarkovModel.random(letters=3, seed=4, end_bias=1.5)
    trace = trace_of(model, Sampling(12), 20, seed=3)
    assert len(trace.hypotheses) == 12
    assert len({len(output.token_ids) for output in trace.hypotheses}) > 1
    assert all(output.token_ids.count(EOS) == 1 for output in trace.hypotheses if output.ended)
    outcomes = {(node.status, node.reason) for node in trace.nodes.values()}
    assert outcomes <= {(Status.KEPT, Reason.CHOSEN), (Status.FINISHED, Reason.END_TOKEN)}


@pytest.mark.parametrize("low", [True, False])
def test_the_ends_of_the_unit_interval_draw_possible_tokens(
    monkeypatch: pytest.MonkeyPatch, low: bool
) -> None:
    extreme = 0.0 if low else 1 - 2**-24  # the ends of torch.rand
    monkeypatch.setattr(torch, "rand", lambda *_, **__: torch.full((1, 1, 1), extreme))
    log_probs = torch.full((1, 1, 9), -torch.inf)
    log_probs[0, 0, [A, B]] = torch.tensor([0.3, 0.7]).log()
    beam = Beam(torch.zeros(1, 1, 0, dtype=torch.int64), torch.zeros(1, 1), torch.zeros(1, 1), EOS)
    result = Sampling(1).expand(log_probs, beam, torch.Generator())
    assert result.tokens.tolist() == [[A if low else B]]
