"""Constraints: against Hugging Face's processors on random prefixes, and against brute force."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import pytest
import torch
from transformers import (
    MinPLogitsWarper,
    NoRepeatNGramLogitsProcessor,
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from models.decoding.limits import DecodingError
from models.decoding.search.beam import Beam, Candidates
from models.decoding.search.constraints import (
    BannedTokens,
    Constraint,
    MinLength,
    NoRepeatNgram,
    RepetitionPenalty,
    min_p_only,
    nucleus,
    top_k_only,
)
from models.decoding.strategies.beam_search import BeamSearch
from models.decoding.strategies.greedy import Greedy
from models.decoding.strategies.sampling import Sampling
from models.decoding.strategies.threshold import ThresholdBeamSearch
from tests.fakes.markov import BOS, EOS, MarkovModel
from tests.models.decoding.search.running import finished_of
from tests.refusals import refused

A, B, C = 4, 5, 6
BATCH, ROWS, LENGTH, VOCAB = 3, 4, 9, 7


def beam_of(tokens: torch.Tensor) -> Beam:
    return Beam(tokens, torch.zeros(tokens.shape[:2]), torch.zeros(tokens.shape[:2]), EOS)


@pytest.fixture(params=range(3))
def prefixes(request: pytest.FixtureRequest) -> torch.Tensor:
    generator = torch.Generator().manual_seed(request.param)
    return torch.randint(4, VOCAB, (BATCH, ROWS, LENGTH), generator=generator)


@pytest.fixture
def log_probs(prefixes: torch.Tensor) -> torch.Tensor:
    generator = torch.Generator().manual_seed(int(prefixes.sum()))
    return torch.randn(BATCH, ROWS, VOCAB, generator=generator).log_softmax(dim=-1)


def theirs(processor, prefixes: torch.Tensor, log_probs: torch.Tensor) -> torch.Tensor:
    flat = processor(prefixes.flatten(0, 1), log_probs.flatten(0, 1).clone())
    return flat.view_as(log_probs)


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_no_repeat_ngram_equals_that_of_hugging_face(
    prefixes: torch.Tensor, log_probs: torch.Tensor, size: int
) -> None:
    expected = theirs(NoRepeatNGramLogitsProcessor(size), prefixes, log_probs)
    allowed = NoRepeatNgram(size)(log_probs, beam_of(prefixes))
    assert torch.equal(allowed, expected)
    assert allowed.isinf().any() == expected.isinf().any()


@pytest.mark.parametrize(
    ("size", "prefix", "forbidden"),
    [
        (1, (A, B), {A, B}),
        (2, (A, A), {A}),  # as short as the n-gram itself
        (2, (A, B, A), {B}),
        (2, (A, B, A, C, A), {B, C}),
        (2, (A, B), set()),
        (3, (A, B, C, A, B), {C}),
        (3, (A, B, C, B, A), set()),
    ],
)
def test_a_token_that_would_end_an_ngram_of_the_prefix_again_is_forbidden(
    size: int, prefix: tuple[int, ...], forbidden: set[int]
) -> None:
    allowed = NoRepeatNgram(size)(torch.zeros(1, 1, VOCAB), beam_of(torch.tensor([[prefix]])))
    assert {token for token in range(VOCAB) if allowed[0, 0, token] == -math.inf} == forbidden


@pytest.mark.parametrize("length", [0, 1])
def test_a_prefix_shorter_than_the_ngram_forbids_nothing(length: int) -> None:
    tokens = torch.full((1, 1, length), A)
    log_probs = torch.zeros(1, 1, VOCAB)
    assert torch.equal(NoRepeatNgram(2)(log_probs, beam_of(tokens)), log_probs)


@pytest.mark.parametrize("penalty", [0.5, 1.3, 4.0])
def test_the_repetition_penalty_equals_that_of_hugging_face(
    prefixes: torch.Tensor, log_probs: torch.Tensor, penalty: float
) -> None:
    expected = theirs(RepetitionPenaltyLogitsProcessor(penalty), prefixes, log_probs)
    assert torch.allclose(RepetitionPenalty(penalty)(log_probs, beam_of(prefixes)), expected)


def test_repetition_is_penalised_by_log_probabilities_and_not_by_logits() -> None:
    """The library's greedy search penalises logits, and would write another token."""
    prefix, logits = torch.tensor([[[A]]]), torch.full((1, 1, VOCAB), -20.0)
    logits[..., A], logits[..., B] = 2.0, 1.2
    ours = RepetitionPenalty(2.0)(logits.log_softmax(-1), beam_of(prefix))
    assert ours.argmax() == A
    assert theirs(RepetitionPenaltyLogitsProcessor(2.0), prefix, logits).argmax() == B


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
@pytest.mark.parametrize(("k", "p", "min_p"), [(0, 1.0, 0.1), (3, 0.8, 0.0), (5, 0.9, 0.3), (0, 0.5, 0.05)])
def test_truncations_follow_the_order_of_hugging_face(
    prefixes: torch.Tensor, log_probs: torch.Tensor, temperature: float, k: int, p: float, min_p: float
) -> None:
    expected = theirs(TemperatureLogitsWarper(temperature), prefixes, log_probs)
    if k:
        expected = theirs(TopKLogitsWarper(k), prefixes, expected)
    if p < 1:
        expected = theirs(TopPLogitsWarper(p), prefixes, expected)
    if min_p:
        expected = theirs(MinPLogitsWarper(min_p), prefixes, expected)
    truncated = min_p_only(nucleus(top_k_only(log_probs / temperature, k), p), min_p)
    assert torch.equal(truncated.isinf(), expected.isinf())
    assert torch.allclose(truncated.softmax(dim=-1), expected.softmax(dim=-1), atol=1e-6)


@pytest.mark.parametrize("shares", [(5, 3, 1, 1), (1, 2, 3, 4), (7, 1, 1, 1), (2, 2, 2, 4), (6, 0, 3, 1)])
def test_truncations_keep_what_exact_fractions_keep(shares: tuple[int, ...]) -> None:
    """Sums of tenths as floats differ slightly from the exact sums."""
    log_probs = (torch.tensor(shares) / 10).log()
    exact = [Fraction(share, 10) for share in shares]
    for hundredths in range(1, 100):
        p, share = Fraction(hundredths, 100), hundredths / 100
        ranked = sorted(exact, reverse=True)
        needed = next(k for k in range(1, 5) if sum(ranked[:k]) >= p)
        assert nucleus(log_probs, share).isfinite().sum() == needed
        assert min_p_only(log_probs, share).isfinite().tolist() == [
            probability >= p * max(exact) for probability in exact
        ]
        candidates = Candidates(
            torch.zeros(1, 4), torch.zeros(1, 4), log_probs.sort(descending=True).values[None]
        )
        pruned = ThresholdBeamSearch(4, threshold=share).apply_threshold(candidates).reasons
        assert (pruned == 0)[0].tolist() == [not 0 < probability < p * max(exact) for probability in ranked]


def best_that(model: MarkovModel, length: int, allowed) -> tuple[int, ...]:
    possible = [x for x in model.sequences(length) if allowed(x) and model.log_prob(x) > -math.inf]
    return max(possible, key=model.log_prob)


def has_no_repeated_pair(sequence: tuple[int, ...]) -> bool:
    pairs = list(pairwise(sequence))
    return len(pairs) == len(set(pairs))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("processor", "allowed"),
    [
        (MinLength(3, EOS), lambda x: x[-1] != EOS or len(x) > 3),
        (NoRepeatNgram(2), has_no_repeated_pair),
        (BannedTokens((A, C), EOS), lambda x: not {A, C} & set(x)),
    ],
)
def test_a_wide_beam_finds_the_best_allowed_output(seed: int, processor: Constraint, allowed) -> None:
    model = MarkovModel.random(letters=3, seed=seed, end_bias=1.0)
    strategy = BeamSearch(100, early_stopping="never")
    best = finished_of(model, strategy, 5, constraints=(processor,))[0]
    assert best.tokens == best_that(model, 5, allowed)
    assert best.log_prob == pytest.approx(model.log_prob(best.tokens), abs=1e-5)


def test_a_penalty_changes_the_choice_and_not_the_score() -> None:
    table = {BOS: {A: 1.0}, A: {A: 0.5, B: 0.3, EOS: 0.2}, B: {A: 0.9, EOS: 0.1}}
    model = MarkovModel.from_table(8, table)
    free = finished_of(model, Greedy(), 3)[0]
    penalised = finished_of(model, Greedy(), 3, constraints=(RepetitionPenalty(3.0),))[0]
    assert free.tokens == (A, A, A)
    assert penalised.tokens == (A, B, A)  # 3 log .5 < log .3; then 3 log .9 > log .1
    assert penalised.log_prob == pytest.approx(math.log(0.3 * 0.9), abs=1e-5)
    assert penalised.rank_score == pytest.approx(math.log(0.3) + 3 * math.log(0.9), abs=1e-5)


def test_the_end_token_is_allowed_if_all_others_are_forbidden() -> None:
    model = MarkovModel.random(letters=3, seed=0, end_bias=-5.0)
    for strategy in (Greedy(), BeamSearch(3), Sampling(4)):
        finished = finished_of(model, strategy, 30, constraints=(NoRepeatNgram(1),))
        assert finished
        assert all(output.tokens[-1] == EOS for output in finished)
        assert all(len(set(output.tokens)) == len(output.tokens) for output in finished)


def test_a_step_without_allowed_tokens_does_not_crash() -> None:
    model = MarkovModel.random(letters=3, seed=0)
    everything = BannedTokens((A, B, C), EOS)
    for strategy in (Greedy(), BeamSearch(3)):
        assert finished_of(model, strategy, 5, constraints=(everything, MinLength(2, EOS))) == []


def test_a_ban_of_the_end_token_is_refused() -> None:
    with refused(DecodingError, "end_cannot_be_banned"):
        BannedTokens((A, EOS), EOS)
