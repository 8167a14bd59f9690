"""Our search on Marian's weights against Hugging Face's `generate` on the same ones."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from transformers import MarianMTModel

from models.decoding.scoring import LengthNormalizer
from models.decoding.strategies import BeamSearch, DecodingStrategy, Greedy
from models.networks.transformer import TransformerModel
from tests.marian import EOS, PAD, as_ours, random_marian
from tests.models.decoding.running import steps_of

MAX_LENGTH = 14
Pair = tuple[MarianMTModel, TransformerModel]


@pytest.fixture(scope="module", params=[0, 1])
def pair(request: pytest.FixtureRequest) -> Pair:
    torch.manual_seed(request.param)
    theirs = random_marian(vocab_size=24, scale=2.0)
    with torch.no_grad():  # or hardly a sequence would end before the limit
        theirs.final_logits_bias[0, EOS] += 2.0
    return theirs, as_ours(theirs)


@pytest.fixture
def sources() -> torch.Tensor:
    return torch.randint(2, 24, (4, 7), generator=torch.Generator().manual_seed(5))


def generate(theirs: MarianMTModel, sources: torch.Tensor, **settings: Any) -> Any:
    return theirs.generate(
        input_ids=sources,
        attention_mask=torch.ones_like(sources),
        max_new_tokens=MAX_LENGTH,
        return_dict_in_generate=True,
        output_scores=True,
        output_attentions=True,
        do_sample=False,
        **settings,
    )


def ours_of(
    model: TransformerModel, strategy: DecodingStrategy, src: torch.Tensor
) -> list[tuple[list[int], float]]:
    pools = steps_of(model, strategy, MAX_LENGTH, src, bos_id=PAD, eos_id=EOS)[-1].pools
    return [(list(x.tokens), x.score) for pool in pools for x in pool.finished]


def without_padding(row: list[int]) -> list[int]:
    """Generated ids up to and including the end token."""
    generated = row[1:]
    return generated[: generated.index(EOS) + 1] if EOS in generated else generated


def test_the_networks_are_the_same_function(pair: Pair, sources: torch.Tensor) -> None:
    theirs, ours = pair
    from models.batch import Batch

    targets = torch.randint(2, 24, (4, 5), generator=torch.Generator().manual_seed(6))
    mask = torch.ones_like(sources, dtype=torch.bool)
    batch = Batch(sources, mask, targets, targets, torch.ones_like(targets, dtype=torch.bool))
    with torch.inference_mode():
        expected = theirs(input_ids=sources, attention_mask=mask.long(), decoder_input_ids=targets).logits
        assert torch.allclose(ours(batch), expected, atol=2e-4)


def test_greedy_equals_generate(pair: Pair, sources: torch.Tensor) -> None:
    theirs, ours = pair
    for row in sources.split(1):
        expected = generate(theirs, row, num_beams=1)
        assert ours_of(ours, Greedy(), row)[0][0] == without_padding(expected.sequences[0].tolist())


@pytest.mark.parametrize("early_stopping", [True, False, "never"])
@pytest.mark.parametrize("alpha", [-1.0, 0.0, 0.6, 1.0, 2.0])
@pytest.mark.parametrize("beams", [2, 3, 4, 8])
def test_beam_search_equals_generate(
    pair: Pair, sources: torch.Tensor, beams: int, alpha: float, early_stopping: bool | str
) -> None:
    theirs, ours = pair
    expected = generate(
        theirs,
        sources,
        num_beams=beams,
        num_return_sequences=beams,
        length_penalty=alpha,
        early_stopping=early_stopping,
    )
    found = ours_of(ours, BeamSearch(beams, LengthNormalizer("power", alpha), early_stopping), sources)
    assert [tokens for tokens, _ in found] == [without_padding(row) for row in expected.sequences.tolist()]
    assert [score for _, score in found] == pytest.approx(expected.sequences_scores.tolist(), abs=1e-4)


def test_attention_equals_generate_s_gathered_by_beam_indices(pair: Pair, sources: torch.Tensor) -> None:
    from models.decoding.recorder import Recorder

    theirs, ours = pair
    src = sources[:1]
    expected = generate(theirs, src, num_beams=4, num_return_sequences=1)
    steps = steps_of(ours, BeamSearch(4), MAX_LENGTH, src, bos_id=PAD, eos_id=EOS)
    recorder = Recorder(str, str, LengthNormalizer(), chooses=False)
    recorded, hypotheses = recorder.record(iter(steps))
    from models.decoding.trace import DecodingTrace

    trace = DecodingTrace("marian", "", (), "beam", {}, recorded, hypotheses)
    path = trace.path(hypotheses[0].node)
    assert len(path) == (expected.beam_indices[0] >= 0).sum()
    for step, node in enumerate(path):
        beam = int(expected.beam_indices[0, step])
        theirs_there = torch.stack([layer[beam, :, -1] for layer in expected.cross_attentions[step]])
        assert torch.allclose(torch.tensor(trace.row(node).attention), theirs_there, atol=1e-4)
