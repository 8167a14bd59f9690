"""Required words, from the typed text to the trace and its JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
import torch

from models.decoding.decode import decode, decode_with_and_without_words
from models.decoding.limits import DecodingError
from models.decoding.options import DecodingOptions
from models.decoding.outputs import outputs
from models.decoding.record.untrusted import read_untrusted
from models.decoding.record_json import TraceError
from models.decoding.status import Stop
from models.decoding.strategies import names
from models.networks.architectures import build_model
from models.networks.base import Seq2SeqModel
from models.networks.transformer.config import TransformerConfig
from models.tokenization.segmentation import TOKENIZER_KINDS
from models.tokenization.tokenizer import Tokenizer
from tests.refusals import Refusal, refused

TEXTS = ["the old house is near the sea", "the sea is old", "a house"]
STRATEGIES = [name for name in names() if DecodingOptions(name).build_strategy().allows_required_words]


def network(tokenizer: Tokenizer) -> Seq2SeqModel:
    torch.manual_seed(2)
    config = TransformerConfig(d_model=16, num_heads=2, d_ff=16, num_layers=1, num_decoder_layers=1)
    model = build_model(config, tokenizer.vocab_size, Tokenizer.pad_id).eval()
    with torch.no_grad():  # sharper than a random network is
        model.output.bias.normal_(std=1.5)
    return model


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.train(TEXTS, "word", 40)


@pytest.fixture(scope="module")
def model(tokenizer: Tokenizer) -> Seq2SeqModel:
    return network(tokenizer)


@pytest.mark.parametrize("kind", TOKENIZER_KINDS)
def test_every_output_has_the_words_as_its_tokenizer_writes_them(kind: str) -> None:
    tokenizer = Tokenizer.train(TEXTS, kind, 60)
    options = DecodingOptions(beam_size=6, must_contain="sea,  old house", max_length=40)
    trace = decode(network(tokenizer), tokenizer, TEXTS[1], options)
    assert trace.hypotheses
    for hypothesis in trace.hypotheses:
        assert "sea" in hypothesis.text
        assert "old house" in hypothesis.text
        for phrase, step in zip(trace.words, hypothesis.word_steps, strict=True):
            assert hypothesis.token_ids[step + 1 - len(phrase.token_ids) : step + 1] == phrase.token_ids


@pytest.mark.slow
@pytest.mark.parametrize("name", STRATEGIES)
def test_required_words_are_written_by_every_allowing_strategy_alone_and_in_batches(
    model: Seq2SeqModel, tokenizer: Tokenizer, name: str
) -> None:
    length = 3 if name == "exhaustive" else 6
    options = DecodingOptions(name, must_contain="house，sea", max_length=length)
    result = [output.text for output in outputs(model, tokenizer, TEXTS * 4, options)]
    assert all("house" in text and "sea" in text for text in result)
    assert result[0] == decode(model, tokenizer, TEXTS[0], options).hypotheses[0].text


@pytest.mark.parametrize("name", STRATEGIES)
def test_the_cost_of_words_is_measured_against_the_same_search_without_words(
    model: Seq2SeqModel, tokenizer: Tokenizer, name: str
) -> None:
    length = 3 if name == "exhaustive" else 6
    options = DecodingOptions(name, must_contain="house", min_length=1, max_length=length)
    trace = decode_with_and_without_words(partial(decode, model, tokenizer, TEXTS[1]), options)
    best = decode(model, tokenizer, TEXTS[1], replace(options, must_contain="")).hypotheses[0]
    if name == "stochastic":  # another draw is no measure
        assert trace.without_words is None
        return
    assert trace.without_words is not None
    assert (trace.without_words.text, trace.without_words.token_ids) == (best.text, best.token_ids)
    assert (trace.without_words.log_prob, trace.without_words.score) == pytest.approx(
        (best.log_prob, best.score), abs=1e-5
    )


def test_a_stopped_search_has_no_cost_of_words(model: Seq2SeqModel, tokenizer: Tokenizer) -> None:
    steps = 0

    def second(step: Any) -> Stop | None:
        nonlocal steps
        steps += 1
        return Stop.CANCELLED if step.number else None

    search = partial(decode, model, tokenizer, TEXTS[0], on_step=second)
    trace = decode_with_and_without_words(search, DecodingOptions(must_contain="sea", max_length=8))
    assert (trace.exploration.stop, trace.without_words, steps) == (Stop.CANCELLED, None, 2)


def test_a_trace_without_required_words_has_no_fields_for_words(
    model: Seq2SeqModel, tokenizer: Tokenizer
) -> None:
    for nothing in ("", "  "):
        trace = decode(model, tokenizer, TEXTS[0], DecodingOptions(must_contain=nothing, max_length=5))
        assert (trace.words, trace.without_words) == ((), None)
        assert {hypothesis.word_steps for hypothesis in trace.hypotheses} == {()}


def test_the_trace_survives_json_and_tampering_is_noticed(model: Seq2SeqModel, tokenizer: Tokenizer) -> None:
    options = DecodingOptions(must_contain="sea, old", max_length=8)
    trace = decode_with_and_without_words(partial(decode, model, tokenizer, TEXTS[0]), options)
    assert trace.settings["must_contain"] == "sea, old"
    again = read_untrusted(trace.to_json())
    assert (again.words, again.without_words, again.hypotheses) == (
        trace.words,
        trace.without_words,
        trace.hypotheses,
    )
    for ends in ([0], [0, 99], [-1, 0]):
        data = json.loads(trace.to_json())
        data["hypotheses"][0]["written"] = ends
        with refused(TraceError, "trace_damaged"):
            read_untrusted(json.dumps(data))


@pytest.mark.parametrize(
    ("values", "refusal"),
    [
        ({"must_contain": "sea, mountain"}, ("word_cannot_be_required", "mountain")),
        ({"must_contain": " , ，"}, ("no_words_required",)),
        ({"must_contain": "</s>"}, ("end_cannot_be_required",)),
        ({"must_contain": "old sea", "banned": "near sea"}, ("required_and_banned", "old sea", "sea")),
        ({"must_contain": "old house, the sea", "max_length": 3}, ("required_words_too_long", 4, 3)),
        ({"must_contain": "sea", "strategy": "greedy"}, ("words_need_hypotheses",)),
        ({"must_contain": "sea", "strategy": "sampling"}, ("words_need_hypotheses",)),
        ({"must_contain": "sea", "strategy": "mbr"}, ("words_need_hypotheses",)),
        ({"must_contain": "sea", "beam_size": 1}, ("words_need_hypotheses",)),
        ({"must_contain": "sea", "strategy": "diverse", "num_groups": 4}, ("words_need_hypotheses",)),
    ],
    ids=repr,
)
def test_unreachable_required_words_are_refused(
    model: Seq2SeqModel, tokenizer: Tokenizer, values: dict[str, Any], refusal: Refusal
) -> None:
    options = DecodingOptions(**{"max_length": 8} | values)
    with refused(DecodingError, *refusal):
        decode(model, tokenizer, TEXTS[0], options)
    with refused(DecodingError, *refusal):
        outputs(model, tokenizer, TEXTS, options)


def test_words_that_overlap_may_share_their_tokens(model: Seq2SeqModel, tokenizer: Tokenizer) -> None:
    options = DecodingOptions(beam_size=8, must_contain="old house, house is", max_length=3)
    assert decode(model, tokenizer, TEXTS[0], options).hypotheses[0].text == "old house is"
