"""Constraints and sampling, compared with `generate` and its processors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
import torch

from models.batch import Batch
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
from models.decoding.search.strategy import LengthNormalizer
from models.decoding.strategies.beam_search import BeamSearch
from models.decoding.strategies.greedy import Greedy
from models.decoding.strategies.sampling import Sampling
from tests.fakes.hugging_face.adapter import LENGTHS, VOCAB, Pair, generated
from tests.fakes.hugging_face.marian import EOS, PAD
from tests.grids import full_only

pytestmark = pytest.mark.oracle

MAX_LENGTH = 12
TOLERANCE = 1e-4
# `generate` counts the start token, which is the padding, as generated: so neither side may write it.
NO_PADDING = BannedTokens((PAD,), EOS)
CONSTRAINTS: list[tuple[dict[str, Any], tuple[Constraint, ...]]] = [
    ({"min_new_tokens": 6}, (MinLength(6, EOS),)),
    ({"min_length": 7}, (MinLength(6, EOS),)),  # `generate` counts the start token
    ({"no_repeat_ngram_size": 1}, (NoRepeatNgram(1),)),
    ({"no_repeat_ngram_size": 2}, (NoRepeatNgram(2),)),
    ({"no_repeat_ngram_size": 3}, (NoRepeatNgram(3),)),
    ({"repetition_penalty": 1.5}, (RepetitionPenalty(1.5),)),
    ({"repetition_penalty": 0.7}, (RepetitionPenalty(0.7),)),
    ({"bad_words_ids": [[token] for token in range(2, 12)]}, (BannedTokens(tuple(range(2, 12)), EOS),)),
    (
        {"min_new_tokens": 3, "no_repeat_ngram_size": 2, "repetition_penalty": 1.2},
        (RepetitionPenalty(1.2), NoRepeatNgram(2), MinLength(3, EOS)),
    ),
]
NAMES = ["+".join(settings) for settings, _ in CONSTRAINTS]


@pytest.fixture(scope="module", params=["marian", *full_only(["t5"])])
def pair(request: pytest.FixtureRequest) -> Pair:
    return Pair.named(request.param)


def normalised(module: Any, inputs: Any, output: Any) -> Any:
    output.logits = output.logits.log_softmax(dim=-1)
    return output


def without_start(settings: dict[str, Any]) -> dict[str, Any]:
    return settings | {"bad_words_ids": [[PAD], *settings.get("bad_words_ids", [])]}


@pytest.mark.parametrize(("settings", "constraints"), CONSTRAINTS, ids=NAMES)
def test_constrained_greedy_equals_generate(
    pair: Pair, settings: dict[str, Any], constraints: tuple[Constraint, ...]
) -> None:
    # `generate` penalises log-probabilities in beam search, as we always do, but logits in greedy search.
    hook = pair.theirs.register_forward_hook(normalised)
    try:
        expected = pair.generate(max_new_tokens=MAX_LENGTH, **without_start(settings))
    finally:
        hook.remove()
    result = [output[0].tokens for output in pair.decode(Greedy(), MAX_LENGTH, (*constraints, NO_PADDING))]
    assert result == [generated(row) for row in expected.sequences.tolist()]


@pytest.mark.parametrize(("settings", "constraints"), CONSTRAINTS, ids=NAMES)
def test_constrained_beam_search_equals_generate(
    pair: Pair, settings: dict[str, Any], constraints: tuple[Constraint, ...]
) -> None:
    changed = 0
    for beams, alpha, mode in [(2, 0.0, False), (5, 0.6, True), (8, 2.0, "never")]:
        expected = pair.generate(
            max_new_tokens=MAX_LENGTH,
            num_beams=beams,
            num_return_sequences=beams,
            length_penalty=alpha,
            early_stopping=mode,
            **without_start(settings),
        )
        strategy = BeamSearch(beams, LengthNormalizer("power", alpha), mode)
        pools = pair.decode(strategy, MAX_LENGTH, (*constraints, NO_PADDING))
        result = [output for pool in pools for output in pool]
        texts = [generated(row) for row in expected.sequences.tolist()]
        assert [output.tokens for output in result] == texts, f"{beams} beams"
        # The scores of `generate` include the penalties; here the key does, and the score does not.
        keys = [output.key for output in result]
        assert keys == pytest.approx(expected.sequences_scores.tolist(), abs=TOLERANCE), f"{beams} beams"
        free = [output for pool in pair.decode(strategy, MAX_LENGTH, (NO_PADDING,)) for output in pool]
        changed += [output.tokens for output in free] != texts
    assert changed, "or the constraint would not matter"


@dataclass(frozen=True)
class Truncation:
    """Settings of sampling, for our search and for `generate`."""

    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of `generate`."""
        return vars(self) | {"do_sample": True, "min_p": self.min_p or None}


TRUNCATIONS = [
    Truncation(),
    Truncation(temperature=0.6),
    Truncation(top_k=5),
    Truncation(top_p=0.8),
    Truncation(min_p=0.2),
    Truncation(temperature=1.7, top_k=12, top_p=0.9, min_p=0.1),
]


@pytest.mark.parametrize("truncation", TRUNCATIONS)
def test_truncated_distributions_equal_those_of_generate(pair: Pair, truncation: Truncation) -> None:
    torch.manual_seed(3)
    drawn = pair.generate(max_new_tokens=MAX_LENGTH, **truncation.arguments())
    targets = drawn.sequences[:, :-1]
    batch = Batch(pair.sources, pair.mask, targets, drawn.sequences[:, 1:], targets != PAD)
    with torch.inference_mode():
        log_probs = pair.ours(batch).log_softmax(dim=-1)
    retained = nucleus(top_k_only(log_probs / truncation.temperature, truncation.top_k), truncation.top_p)
    ours = min_p_only(retained, truncation.min_p)
    theirs = torch.stack(drawn.scores, dim=1)
    for sentence, row in enumerate(drawn.sequences.tolist()):
        length = len(generated(row))  # `generate` computes further scores, which no output uses
        result, expected = ours[sentence, :length], theirs[sentence, :length]
        assert torch.equal(result.isinf(), expected.isinf())
        assert torch.allclose(result.softmax(dim=-1), expected.softmax(dim=-1), atol=TOLERANCE)
    assert theirs.isinf().any() == (truncation not in TRUNCATIONS[:2])


@pytest.mark.parametrize("truncation", TRUNCATIONS)
def test_samples_follow_the_distribution_of_generate(pair: Pair, truncation: Truncation) -> None:
    first = pair.generate(max_new_tokens=1, **truncation.arguments())
    expected = first.scores[0].softmax(dim=-1)  # (B, V)
    strategy = Sampling(128, **vars(truncation))
    counts = torch.zeros(len(LENGTHS), VOCAB)
    draws = 20
    for seed in range(draws):
        for sentence, pool in enumerate(pair.decode(strategy, 1, seed=seed)):
            counts[sentence] += torch.bincount(torch.tensor([x.tokens[0] for x in pool]), minlength=VOCAB)
    total = draws * strategy.num_samples
    assert counts.sum(dim=1).eq(total).all()
    assert counts[expected == 0].eq(0).all()
    common = expected * total >= 10  # the counts of rarer tokens are not normally distributed
    deviation = (expected * (1 - expected) / total).sqrt()
    assert ((counts / total - expected).abs() <= 5 * deviation)[common].all()
    assert common.sum() > len(LENGTHS)
