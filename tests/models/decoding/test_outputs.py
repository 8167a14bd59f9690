"""The best outputs of many texts: those of a few, though most of a beam is never looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import pytest
import torch
from torch import Tensor

from models.decoding.options import DecodingOptions
from models.decoding.outputs import FEWEST_SCOUTED, Output, outputs
from models.decoding.request import Request
from models.decoding.search.beam import EMPTY
from models.decoding.search.footprint import Footprint
from models.decoding.search.step import SearchStep
from models.networks.architectures import build_model
from models.networks.base import DecoderState, Seq2SeqModel, StepOutput
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
    """Random weights; some seeds like to end early."""
    torch.manual_seed(seed)
    model = build_model(NETWORKS[kind], tokenizer().vocab_size, Tokenizer.pad_id).eval()
    with torch.no_grad():
        model.output.weight.mul_(SHARPENED[kind])
        model.output.bias.normal_(std=1.0)
        model.output.bias[tokenizer().eos_id] += seed % 4
    return model


class Counted:
    """How many rows a network is asked about meanwhile."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.rows = 0
        # Measuring a row asks the network, too.
        monkeypatch.setattr("models.decoding.outputs.footprint", lambda *_: Footprint(0, 0))
        for kind in {type(network(name, 0)) for name in NETWORKS}:
            monkeypatch.setattr(kind, "step", self._counting(kind.step))

    def _counting(self, step: object) -> object:
        def counted(model: Seq2SeqModel, tokens: Tensor, *others: DecoderState) -> StepOutput:
            self.rows += len(tokens)
            return step(model, tokens, *others)  # type: ignore[operator]

        return counted


def unscouted(model: Seq2SeqModel, texts: Sequence[str], asked: DecodingOptions) -> list[Output]:
    """So few at once that nothing scouts."""
    few = FEWEST_SCOUTED - 1
    parts = [texts[start : start + few] for start in range(0, len(texts), few)]
    return [output for some in parts for output in outputs(model, tokenizer(), some, asked)]


def assert_same(found: Sequence[Output], expected: Sequence[Output]) -> None:
    assert [each.tokens for each in found] == [each.tokens for each in expected]
    assert [each.ended for each in found] == [each.ended for each in expected]
    assert [each.score for each in found] == pytest.approx([each.score for each in expected], abs=1e-4)


BEAMS = [
    DecodingOptions("beam", max_length=LENGTH),
    DecodingOptions("beam", max_length=LENGTH, beam_size=2),
    DecodingOptions("beam", max_length=LENGTH, beam_size=9, early_stopping="never"),
    DecodingOptions("beam", max_length=LENGTH, length_penalty=-0.7),
    DecodingOptions("beam", max_length=LENGTH, length_penalty=0.8, early_stopping="never"),
    DecodingOptions("beam", max_length=LENGTH, length_penalty=2, normalizer="gnmt", early_stopping="never"),
    DecodingOptions("beam", max_length=LENGTH, length_penalty=2, normalizer="none"),
    DecodingOptions("beam", max_length=LENGTH, min_length=5),
    DecodingOptions("threshold", max_length=LENGTH, threshold=0.3),
]


@pytest.mark.slow
@pytest.mark.parametrize("kind", NETWORKS)
@pytest.mark.parametrize(
    "asked",
    thinned(BEAMS, 3),
    ids=lambda asked: f"{asked.strategy}-{asked.beam_size}-{asked.length_penalty}-{asked.normalizer}",
)
def test_what_is_left_out_could_not_have_won(asked: DecodingOptions, kind: str) -> None:
    assert len(TEXTS) >= FEWEST_SCOUTED
    for seed in range(8):
        model = network(kind, seed)
        assert_same(outputs(model, tokenizer(), TEXTS, asked), unscouted(model, TEXTS, asked))


@pytest.mark.slow
def test_a_sure_network_is_asked_about_few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    counted, asked = Counted(monkeypatch), DecodingOptions("beam", max_length=LENGTH)
    rows = []
    for texts in ([[text] for text in TEXTS], [TEXTS]):  # none at once, all at once
        for seed in range(8):
            for some in texts:
                outputs(network("transformer", seed), tokenizer(), some, asked)
        rows.append(counted.rows)
        counted.rows = 0
    assert rows[1] < 0.8 * rows[0]


class Visited:
    """The beginnings of outputs that searches look at meanwhile, and how many searches there are."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.beginnings: set[tuple[int, tuple[int, ...]]] = set()
        self.searches = self.steps = 0
        real = Request.search

        def search(request: Request, *asked: Any, **others: Any) -> Iterator[SearchStep]:
            self.searches += 1
            for step in real(request, *asked, **others):
                self.steps += 1
                self._look(step)
                yield step

        monkeypatch.setattr(Request, "search", search)

    def _look(self, step: SearchStep) -> None:
        ranks = step.beam.ranks or ((0,),) * len(step.sentences)
        for sentence, rows, filled in zip(step.sentences, step.beam.tokens.tolist(), ranks, strict=True):
            alive = [tuple(row) for row, rank in zip(rows, filled, strict=True) if rank != EMPTY]
            self.beginnings.update((sentence, row) for row in alive)


@pytest.mark.slow
def test_a_network_is_asked_once_about_a_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that the scout has been told is asked again; of a step one row at least is asked."""
    asked, twice = DecodingOptions("beam", max_length=LENGTH), 0
    for seed in range(8):
        with monkeypatch.context() as patch:
            counted, visited = Counted(patch), Visited(patch)
            outputs(network("recurrent", seed), tokenizer(), TEXTS, asked)
            if visited.searches == 2:  # of three the last is one that is searched whole
                twice += 1
                assert counted.rows <= len(visited.beginnings) + visited.steps
    assert twice > 3


@pytest.mark.slow
@pytest.mark.parametrize(
    "asked",
    [
        DecodingOptions("beam", max_length=LENGTH, early_stopping="true"),
        DecodingOptions("beam", max_length=LENGTH, length_penalty=1.0),
        DecodingOptions("beam", max_length=LENGTH, repetition_penalty=2.0),
        DecodingOptions("beam", max_length=LENGTH, no_repeat_ngram_size=2),
        DecodingOptions("diverse", max_length=LENGTH, num_groups=2),
        DecodingOptions("greedy", max_length=LENGTH),
    ],
    ids=lambda asked: f"{asked.strategy}-{asked.length_penalty}",
)
def test_nothing_is_left_out_where_that_might_change_the_best(
    asked: DecodingOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = Counted(monkeypatch)
    for seed in range(8):
        model = network("transformer", seed)
        expected = unscouted(model, TEXTS, asked)
        single, counted.rows = counted.rows, 0
        assert_same(outputs(model, tokenizer(), TEXTS, asked), expected)
        assert counted.rows >= single
        counted.rows = 0


@pytest.mark.slow
def test_a_beam_that_loses_what_one_row_finds_is_searched_whole() -> None:
    """A beam may drop the way of a greedy search, and then find less: that is what a beam finds."""
    asked = DecodingOptions("beam", max_length=LENGTH, beam_size=2)
    greedy = DecodingOptions("greedy", max_length=LENGTH)
    lost = 0
    for seed in range(15, 40):
        model = network("recurrent", seed)
        expected = unscouted(model, TEXTS, asked)
        sure = unscouted(model, TEXTS, greedy)
        lost += sum(one.score > beam.score + 1e-3 for one, beam in zip(sure, expected, strict=True))
        assert_same(outputs(model, tokenizer(), TEXTS, asked), expected)
    assert lost


@pytest.mark.slow
def test_batches_of_any_size_find_the_same() -> None:
    model, asked = network("transformer", 1), DecodingOptions("beam", max_length=LENGTH)
    expected = unscouted(model, TEXTS, asked)
    for rows in (1, 4, 8, 1000):
        assert_same(outputs(model, tokenizer(), TEXTS, asked, batch_rows=rows), expected)


def test_every_text_is_told_once() -> None:
    told: list[int] = []
    asked = DecodingOptions("beam", max_length=LENGTH)
    outputs(network("recurrent", 1), tokenizer(), TEXTS, asked, batch_rows=8, watch=told.extend)
    assert sorted(told) == list(range(len(TEXTS)))
