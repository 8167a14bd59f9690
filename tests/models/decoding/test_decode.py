"""From text to trace on real networks: laws that hold for whatever they say, and bad input."""

from __future__ import annotations

import pytest
import torch

from models.batch import Batch
from models.decoding.decode import DecodingError, decode, translate
from models.decoding.processors import MinLength
from models.decoding.scoring import LengthNormalizer
from models.decoding.strategies import BeamSearch, DecodingStrategy, Greedy, Sampling
from models.networks.base import Seq2SeqModel
from models.networks.config import RecurrentConfig, TransformerConfig, build_model
from models.tokenization import Tokenizer

SENTENCES = ["el perro duerme", "la casa es azul y el gato duerme", "sí", "el gato es el perro del perro"]
STRATEGIES = [
    Greedy(),
    BeamSearch(4, LengthNormalizer("power", 0.6)),
    Sampling(3, temperature=0.8, top_p=0.9),
]


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.train(SENTENCES, "bpe", 60)


@pytest.fixture(scope="module", params=["recurrent", "transformer"])
def model(request: pytest.FixtureRequest, tokenizer: Tokenizer) -> Seq2SeqModel:
    torch.manual_seed(0)
    configs = {
        "recurrent": RecurrentConfig(d_embed=16, d_model=32, d_attention=16),
        "transformer": TransformerConfig(d_model=32, d_ff=64, num_layers=2, num_decoder_layers=2),
    }
    return build_model(configs[request.param], tokenizer.vocab_size, Tokenizer.pad_id).eval()


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_teacher_forcing_gives_every_hypothesis_the_log_probability_on_display(
    model: Seq2SeqModel, tokenizer: Tokenizer, strategy: DecodingStrategy
) -> None:
    trace = decode(model, tokenizer, SENTENCES[1], strategy, max_length=12)
    source = [token.id for token in trace.source]
    for hypothesis in trace.hypotheses:
        batch = Batch.from_ids([source], [hypothesis.token_ids], bos_id=Tokenizer.bos_id, pad_id=0)
        with torch.inference_mode():
            log_probs = model(batch).log_softmax(dim=-1)[0].gather(1, batch.tgt_out.T).sum().item()
        assert log_probs == pytest.approx(hypothesis.log_prob, abs=1e-4)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_attention_rows_sum_to_one(
    model: Seq2SeqModel, tokenizer: Tokenizer, strategy: DecodingStrategy
) -> None:
    trace = decode(model, tokenizer, SENTENCES[0], strategy, max_length=8)
    rows = [row for step in trace for row in step.rows]
    assert rows
    for row in rows:
        assert row.attention is not None
        for layer in row.attention:
            for head in layer:
                assert len(head) == len(trace.source)
                assert sum(head) == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("strategy", STRATEGIES[:2])
def test_many_texts_without_a_trace_are_decoded_as_one_with(
    model: Seq2SeqModel, tokenizer: Tokenizer, strategy: DecodingStrategy
) -> None:
    outputs = translate(model, tokenizer, SENTENCES, strategy, max_length=10, batch_rows=8)
    for text, output in zip(SENTENCES, outputs, strict=True):
        assert decode(model, tokenizer, text, strategy, max_length=10).hypotheses[0].text == output


def test_the_same_request_gives_the_same_trace(model: Seq2SeqModel, tokenizer: Tokenizer) -> None:
    first, again = (decode(model, tokenizer, "el gato", Sampling(4), max_length=9, seed=3) for _ in range(2))
    assert first == again
    assert first != decode(model, tokenizer, "el gato", Sampling(4), max_length=9, seed=4)


def test_the_trace_names_what_it_was_asked(model: Seq2SeqModel, tokenizer: Tokenizer) -> None:
    trace = decode(model, tokenizer, "el gato", BeamSearch(2), max_length=9, seed=7, checkpoint="mine")
    assert (trace.checkpoint, trace.strategy, trace.source_text) == ("mine", "beam", "el gato")
    assert trace.settings == {
        "beam_size": 2,
        "early_stopping": False,
        "normalizer": "power",
        "length_penalty": 0.0,
        "max_length": 9,
        "seed": 7,
    }


def test_source_tokens_point_into_the_text_and_mark_the_unknown(
    model: Seq2SeqModel, tokenizer: Tokenizer
) -> None:
    text = "el ☃ gato"
    trace = decode(model, tokenizer, text, Greedy(), max_length=3)
    unknown = [text[token.start : token.end] for token in trace.source if token.unknown]
    assert unknown == ["☃"]
    assert trace.source[-1].surface == "</s>"


def test_a_minimum_length_forbids_the_end_until_then(model: Seq2SeqModel, tokenizer: Tokenizer) -> None:
    processor = MinLength(6, Tokenizer.eos_id)
    trace = decode(model, tokenizer, "el gato", BeamSearch(4), max_length=9, processors=[processor])
    assert all(len(hypothesis.token_ids) > 6 for hypothesis in trace.hypotheses)


@pytest.mark.parametrize(
    ("text", "max_length", "message"),
    [
        ("", 10, "Type a sentence first"),
        (" \n\t ", 10, "Type a sentence first"),
        ("el gato " * 2000, 10, "reads at most 512. Shorten it"),
        ("el gato", 0, "max_length must be between 1"),
        ("el gato", 100_000, "max_length must be between 1"),
    ],
)
def test_a_bad_request_is_refused_with_a_sentence(
    model: Seq2SeqModel, tokenizer: Tokenizer, text: str, max_length: int, message: str
) -> None:
    with pytest.raises(DecodingError, match=message):
        decode(model, tokenizer, text, Greedy(), max_length=max_length)


@pytest.mark.parametrize(
    "text", ["☃☃☃", "<script>alert(1)</script>", "${alert(1)}", "</s>", "مرحبا", "😀 👩‍👩‍👧"]
)
def test_any_text_is_decoded_and_kept_as_it_is(model: Seq2SeqModel, tokenizer: Tokenizer, text: str) -> None:
    trace = decode(model, tokenizer, text, BeamSearch(2), max_length=6)
    assert trace.source_text == text
    assert [token.id for token in trace.source].count(Tokenizer.eos_id) == 1
