"""The output of greedy search, which a trace knows beside its own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch

from models.decoding.decode import decode, decode_beside_greedy
from models.decoding.interventions import Intervention
from models.decoding.options import DecodingOptions
from models.decoding.record.recorded_settings import greedy_output
from models.decoding.status import Stop
from models.decoding.strategies import names
from models.decoding.trace import DecodingTrace
from models.networks.base import Seq2SeqModel
from models.tokenization.tokenizer import Tokenizer
from tests.fakes.markov import MarkovModel

WORDS = "a b c d e f"


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.train([WORDS], "word", 20)


class Searches:
    """`decode` for one text, with the strategies that it was called with."""

    def __init__(self, model: Seq2SeqModel, tokenizer: Tokenizer, **arguments: Any) -> None:
        self.model, self.tokenizer, self.arguments = model, tokenizer, arguments
        self.strategies: list[str] = []

    def __call__(self, options: DecodingOptions) -> DecodingTrace:
        self.strategies.append(options.strategy)
        return decode(self.model, self.tokenizer, WORDS, options, **self.arguments)


def markov(tokenizer: Tokenizer, seed: int) -> MarkovModel:
    return MarkovModel.random(tokenizer.vocab_size - 4, seed, end_bias=-0.5)


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize(
    "settings", [{}, {"min_length": 3}, {"no_repeat_ngram_size": 1}, {"banned": "a b c"}], ids=str
)
def test_a_trace_knows_what_greedy_search_writes_for_the_same_request(
    tokenizer: Tokenizer, name: str, settings: dict[str, Any]
) -> None:
    options = DecodingOptions(name, max_length=4 if name == "exhaustive" else 7, **settings)
    for seed in range(3):
        intervention = Intervention(forced=(5,)) if seed == 2 else Intervention()
        searches = Searches(markov(tokenizer, seed), tokenizer, intervention=intervention)
        trace = decode_beside_greedy(searches, options)
        (best, *_) = searches(replace(options, strategy="greedy")).hypotheses
        output = trace.hypotheses[0] if name == "greedy" else greedy_output(trace)
        assert output is not None
        assert (output.text, output.token_ids) == (best.text, best.token_ids)
        assert greedy_output(DecodingTrace.from_json(trace.to_json())) == greedy_output(trace)


def test_greedy_search_runs_only_if_the_beam_has_lost_its_output(tokenizer: Tokenizer) -> None:
    counts = set()
    for seed in range(12):
        searches = Searches(markov(tokenizer, seed), tokenizer)
        trace = decode_beside_greedy(searches, DecodingOptions(beam_size=2, max_length=7))
        is_lost = trace.greedy is not None
        assert searches.strategies == ["beam", "greedy"][: 1 + is_lost]
        assert not is_lost or trace.greedy.token_ids not in {one.token_ids for one in trace.hypotheses}
        counts.add(is_lost)
    assert counts == {True, False}


def test_a_stopped_search_does_not_begin_another(tokenizer: Tokenizer) -> None:
    torch.manual_seed(0)
    searches = Searches(markov(tokenizer, 1), tokenizer, on_step=lambda step: Stop.CANCELLED)
    assert decode_beside_greedy(searches, DecodingOptions(min_length=2, max_length=7)).greedy is None
    assert searches.strategies == ["beam"]
