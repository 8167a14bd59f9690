"""The best outputs of many texts are those of each text alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import pytest
import torch

from models.decoding.options import DecodingOptions
from models.decoding.outputs import Output, outputs
from models.networks.architectures import build_model
from models.networks.base import Seq2SeqModel
from models.networks.recurrent.config import RecurrentConfig
from models.networks.transformer.config import TransformerConfig
from models.tokenization.tokenizer import Tokenizer
from tests.grids import thinned

LENGTH = 12
TEXTS = [
    f"{first} {second}" for first in ("hola", "hasta", "buenos") for second in ("amigo", "luego", "días")
]
NETWORKS = {
    "recurrent": RecurrentConfig(d_embed=8, d_model=16, d_attention=8),
    "transformer": TransformerConfig(d_model=16, num_heads=2, d_ff=16, num_layers=1, num_decoder_layers=2),
}
SHARPENED = {"recurrent": 40.0, "transformer": 7.0}  # until a step is about as sure as a trained network's


@cache
def tokenizer() -> Tokenizer:
    return Tokenizer.train(TEXTS, "character", vocab_size=40)


@cache
def network(kind: str, seed: int) -> Seq2SeqModel:
    """A network of random weights; some seeds tend to end early."""
    torch.manual_seed(seed)
    model = build_model(NETWORKS[kind], tokenizer().vocab_size, Tokenizer.pad_id).eval()
    with torch.no_grad():
        model.output.weight.mul_(SHARPENED[kind])
        model.output.bias.normal_(std=1.0)
        model.output.bias[tokenizer().eos_id] += seed % 4
    return model


def one_by_one(model: Seq2SeqModel, options: DecodingOptions) -> list[Output]:
    return [output for text in TEXTS for output in outputs(model, tokenizer(), [text], options)]


def assert_same(actual: Sequence[Output], expected: Sequence[Output]) -> None:
    assert [output.tokens for output in actual] == [output.tokens for output in expected]
    assert [output.ended for output in actual] == [output.ended for output in expected]
    assert [output.score for output in actual] == pytest.approx(
        [output.score for output in expected], abs=1e-4
    )


OPTIONS = [
    DecodingOptions("greedy", max_length=LENGTH),
    DecodingOptions("beam", max_length=LENGTH),
    DecodingOptions("beam", max_length=LENGTH, beam_size=9, early_stopping="never"),
    DecodingOptions("beam", max_length=LENGTH, early_stopping="true"),
    DecodingOptions("beam", max_length=LENGTH, length_penalty=-0.7),
    DecodingOptions("beam", max_length=LENGTH, length_penalty=0.8, early_stopping="never"),
    DecodingOptions("beam", max_length=LENGTH, length_penalty=2, normalizer="gnmt", early_stopping="never"),
    DecodingOptions("beam", max_length=LENGTH, min_length=5),
    DecodingOptions("beam", max_length=LENGTH, repetition_penalty=2.0),
    DecodingOptions("beam", max_length=LENGTH, no_repeat_ngram_size=2),
    DecodingOptions("threshold", max_length=LENGTH, threshold=0.3),
    DecodingOptions("diverse", max_length=LENGTH, num_groups=2),
]


@pytest.mark.slow
@pytest.mark.parametrize("kind", NETWORKS)
@pytest.mark.parametrize(
    "options",
    thinned(OPTIONS, 3),
    ids=lambda options: (
        f"{options.strategy}-{options.beam_size}-{options.length_penalty}-{options.normalizer}"
    ),
)
def test_a_batch_finds_what_each_text_finds_alone(options: DecodingOptions, kind: str) -> None:
    for seed in range(8):
        model = network(kind, seed)
        assert_same(outputs(model, tokenizer(), TEXTS, options), one_by_one(model, options))


@pytest.mark.slow
def test_batches_of_any_size_find_the_same_outputs() -> None:
    model, options = network("transformer", 1), DecodingOptions("beam", max_length=LENGTH)
    expected = one_by_one(model, options)
    for rows in (1, 4, 8, 1000):
        assert_same(outputs(model, tokenizer(), TEXTS, options, batch_rows=rows), expected)


def test_every_text_is_reported_once() -> None:
    reported: list[int] = []
    options = DecodingOptions("beam", max_length=LENGTH)
    outputs(network("recurrent", 1), tokenizer(), TEXTS, options, batch_rows=8, on_batch=reported.extend)
    assert sorted(reported) == list(range(len(TEXTS)))
