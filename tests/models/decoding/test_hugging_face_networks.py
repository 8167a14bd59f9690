"""Our strategies on networks of the transformers library find what its `generate` finds."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
import torch

from models.decoding.search.beam import FinishedSequence
from models.decoding.search.constraints import BannedTokens, Constraint
from models.decoding.search.loop import search
from models.decoding.search.step import ForcedToken, SearchConditions, SearchStep
from models.decoding.search.strategy import DecodingStrategy, LengthNormalizer
from models.decoding.status import Reason
from models.decoding.strategies.beam_search import BeamSearch
from models.decoding.strategies.greedy import Greedy
from models.networks.hugging_face import HuggingFaceModel
from tests.fakes.hugging_face.networks import FAMILIES, SAMPLE, Family, batch_of, generated, in_double
from tests.grids import named

pytestmark = pytest.mark.slow

MAX_LENGTH, TOLERANCE = 12, 1e-6
every_family = pytest.mark.parametrize("name", named({name: name for name in FAMILIES}, SAMPLE))
GRID = [
    (beams, alpha, mode)
    for beams in (2, 4, 5)
    for alpha in (-1.0, 0.0, 0.6, 2.0)
    for mode in (True, False, "never")
]


@cache
def pair(name: str) -> tuple[Any, HuggingFaceModel]:
    """The library's network with eager attention and ours with the same weights, in double precision."""
    return in_double(FAMILIES[name].make()), HuggingFaceModel(in_double(FAMILIES[name].make()))


def theirs(name: str, **settings: Any) -> Any:
    batch = batch_of(FAMILIES[name])
    arguments = {"do_sample": False, "output_scores": True, "return_dict_in_generate": True} | settings
    network = pair(name)[0]
    assert network.config._attn_implementation == "eager"
    arguments |= {"input_ids": batch.src, "attention_mask": batch.src_mask.long()}
    return network.generate(**arguments, max_new_tokens=MAX_LENGTH)


def constraints(family: Family) -> tuple[Constraint, ...]:
    return (BannedTokens(family.never, family.end),) if family.never else ()


def steps(name: str, strategy: DecodingStrategy, row: int | None = None) -> list[SearchStep]:
    """The steps of a search over all sources, or over one without padding."""
    family, batch, model = FAMILIES[name], batch_of(FAMILIES[name]), pair(name)[1]
    src, mask = batch.src, batch.src_mask
    if row is not None:
        src, mask = src[row : row + 1, : mask[row].sum()], mask[row : row + 1, : mask[row].sum()]
    with torch.inference_mode():
        return list(
            search(
                model,
                model.encode(src, mask),
                strategy,
                SearchConditions(
                    family.start,
                    family.end,
                    MAX_LENGTH,
                    constraints(family),
                    family.first,
                    opening=len(family.first),
                    forces_end=family.forces_end,
                ),
                torch.Generator().manual_seed(0),
            )
        )


def result(name: str, strategy: DecodingStrategy, row: int | None = None) -> list[FinishedSequence]:
    return [output for pool in steps(name, strategy, row)[-1].pools for output in pool.sequences]


@every_family
def test_greedy_equals_generate(name: str) -> None:
    expected = theirs(name, num_beams=1, output_logits=True)
    inputs = len(FAMILIES[name].first)
    for row, output in enumerate(result(name, Greedy())):
        assert output.tokens == generated(FAMILIES[name], expected.sequences[row])
        log_probs = [
            logits[row].log_softmax(dim=-1)[token].item()
            for logits, token in zip(expected.logits, output.tokens, strict=False)
        ]
        free = (
            log_probs[inputs:-1]
            if FAMILIES[name].forces_end and len(output.tokens) == MAX_LENGTH
            else log_probs[inputs:]
        )
        assert output.log_prob == output.rank_score == pytest.approx(sum(free), rel=TOLERANCE, abs=TOLERANCE)


@pytest.mark.oracle
@every_family
def test_beam_search_equals_generate(name: str) -> None:
    lengths = set()
    for beams, alpha, mode in GRID:
        expected = theirs(
            name, num_beams=beams, num_return_sequences=beams, length_penalty=alpha, early_stopping=mode
        )
        strategy = BeamSearch(beams, LengthNormalizer("power", alpha), mode)
        outputs = result(name, strategy)
        texts = [generated(FAMILIES[name], row) for row in expected.sequences]
        assert [one.tokens for one in outputs] == texts, (beams, alpha, mode)
        scores = expected.sequences_scores.tolist()
        assert [one.key for one in outputs] == pytest.approx(scores, rel=TOLERANCE, abs=TOLERANCE), (
            beams,
            alpha,
            mode,
        )
        lengths |= {len(text) for text in texts}
    assert len(lengths) > 4, "or the settings would not matter"


@every_family
def test_attention_equals_that_of_generate_by_beam_indices(name: str) -> None:
    """The rows of the best of four beams, step by step."""
    settings = {"num_beams": 4, "num_return_sequences": 1, "length_penalty": 1.0}
    expected = theirs(name, output_attentions=True, **settings)
    searched = steps(name, BeamSearch(4, LengthNormalizer("power", 1.0), False))
    compared = 0
    for step in searched:
        for position, sentence in enumerate(step.sentences):
            rows = expected.beam_indices[sentence]
            if step.length >= len(rows) or rows[step.length] < 0:
                continue
            weights = torch.stack(
                [layer[rows[step.length], :, -1] for layer in expected.cross_attentions[step.length]]
            )
            prefix = expected.sequences[sentence, 1 : step.length + 1]
            beams = (step.beam.tokens[position] == prefix).all(dim=-1).nonzero()
            assert step.attention is not None
            # At first all beams hold the empty prefix, and the library has a row for each.
            assert torch.allclose(step.attention[position, beams[0, 0]], weights, atol=TOLERANCE)
            compared += 1
    assert compared >= 6


@every_family
def test_a_batch_finds_what_each_source_finds_alone(name: str) -> None:
    strategy = BeamSearch(3, LengthNormalizer("power", 0.6), False)
    together = steps(name, strategy)[-1].pools
    for row, pool in enumerate(together):
        alone = result(name, strategy, row)
        assert [output.tokens for output in pool.sequences] == [output.tokens for output in alone]
        assert [output.score for output in pool.sequences] == pytest.approx(
            [h.score for h in alone], abs=TOLERANCE
        )


@pytest.mark.parametrize("name", [name for name, family in FAMILIES.items() if family.forces_end])
def test_a_forced_end_token_at_the_length_limit_is_free_and_marked(name: str) -> None:
    last = steps(name, BeamSearch(4, LengthNormalizer("power", 2.0), "never"))[-1]
    assert last.forced == ForcedToken(FAMILIES[name].end, Reason.CLOSING)
    cut = [output for pool in last.pools for output in pool.sequences if len(output.tokens) == MAX_LENGTH]
    assert cut, "or nothing would have reached it"
    for output in cut:
        assert output.tokens[-1] == FAMILIES[name].end
        assert not output.ended, "the model did not choose it"
        assert output.rank_score == output.log_prob


def test_a_banned_token_is_among_the_most_probable_and_is_not_written() -> None:
    """Marian's start token is sometimes among the most probable, so the test of the ban can fail."""
    family = FAMILIES["marian"]
    with_ban = result("marian", BeamSearch(4))
    assert not any(family.never[0] in output.tokens for output in with_ban)
    logits = [step.log_probs for step in steps("marian", BeamSearch(4))]
    assert any(bool((values.topk(4, dim=-1).indices == family.never[0]).any()) for values in logits)
