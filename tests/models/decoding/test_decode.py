"""A decoding from text to trace on real networks: laws for any prediction, and bad input."""

from __future__ import annotations

import pytest
import torch

from models.batch import Batch
from models.decoding.decode import decode
from models.decoding.limits import DecodingError
from models.decoding.options import DecodingOptions
from models.decoding.outputs import translate
from models.networks.architectures import build_model
from models.networks.base import Seq2SeqModel
from models.networks.recurrent.config import RecurrentConfig
from models.networks.transformer.config import TransformerConfig
from models.tokenization.tokenizer import Tokenizer
from tests.refusals import Refusal, refused

SENTENCES = ["el perro duerme", "la casa es azul y el gato duerme", "sí", "el gato es el perro del perro"]
OPTIONS = [
    DecodingOptions("greedy", max_length=12),
    DecodingOptions(beam_size=4, length_penalty=0.6, max_length=12),
    DecodingOptions("sampling", num_samples=3, temperature=0.8, top_p=0.9, max_length=12),
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


@pytest.mark.parametrize("options", OPTIONS)
def test_teacher_forcing_gives_every_hypothesis_the_log_probability_on_display(
    model: Seq2SeqModel, tokenizer: Tokenizer, options: DecodingOptions
) -> None:
    trace = decode(model, tokenizer, SENTENCES[1], options)
    source = [token.id for token in trace.source]
    for hypothesis in trace.hypotheses:
        batch = Batch.from_ids([source], [hypothesis.token_ids], bos_id=Tokenizer.bos_id, pad_id=0)
        with torch.inference_mode():
            log_probs = model(batch).log_softmax(dim=-1)[0].gather(1, batch.tgt_out.T).sum().item()
        assert log_probs == pytest.approx(hypothesis.log_prob, abs=1e-4)


@pytest.mark.parametrize("options", OPTIONS)
def test_attention_rows_sum_to_one(
    model: Seq2SeqModel, tokenizer: Tokenizer, options: DecodingOptions
) -> None:
    trace = decode(model, tokenizer, SENTENCES[0], options)
    rows = [row for step in trace for row in step.rows]
    assert rows
    for row in rows:
        assert row.attention is not None
        for layer in row.attention:
            for head in layer:
                assert len(head) == len(trace.source)
                assert sum(head) == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("options", OPTIONS[:2])
def test_many_texts_without_traces_get_the_outputs_of_single_decodings(
    model: Seq2SeqModel, tokenizer: Tokenizer, options: DecodingOptions
) -> None:
    outputs = translate(model, tokenizer, SENTENCES, options, batch_rows=8)
    for text, output in zip(SENTENCES, outputs, strict=True):
        assert decode(model, tokenizer, text, options).hypotheses[0].text == output


def test_the_same_request_gives_the_same_trace(model: Seq2SeqModel, tokenizer: Tokenizer) -> None:
    third, fourth = (DecodingOptions("sampling", num_samples=4, max_length=9, seed=seed) for seed in (3, 4))
    first, again = (decode(model, tokenizer, "el gato", third) for _ in range(2))
    assert first == again
    assert first != decode(model, tokenizer, "el gato", fourth)


def test_the_trace_records_its_request(model: Seq2SeqModel, tokenizer: Tokenizer) -> None:
    options = DecodingOptions(beam_size=2, max_length=9, seed=7, min_length=2)
    trace = decode(model, tokenizer, "el gato", options)
    assert (trace.strategy, trace.source_text) == ("beam", "el gato")
    assert list(trace.settings.items()) == [
        ("beam_size", 2),
        ("early_stopping", False),
        ("normalizer", "power"),
        ("length_penalty", 0.0),
        ("max_length", 9),
        ("seed", 7),
        ("min_length", 2),
    ]


def test_source_tokens_point_into_the_text_and_mark_the_unknown(
    model: Seq2SeqModel, tokenizer: Tokenizer
) -> None:
    text = "el ☃ gato"
    trace = decode(model, tokenizer, text, DecodingOptions("greedy", max_length=3))
    unknown = [text[token.start : token.end] for token in trace.source if token.unknown]
    assert unknown == ["☃"]
    assert trace.source[-1].surface == "</s>"


def test_a_minimum_length_forbids_earlier_end_tokens(model: Seq2SeqModel, tokenizer: Tokenizer) -> None:
    options = DecodingOptions(beam_size=4, max_length=9, min_length=6)
    trace = decode(model, tokenizer, "el gato", options)
    assert trace.hypotheses
    assert all(len(hypothesis.token_ids) > 6 for hypothesis in trace.hypotheses)
    assert all(
        len(tokenizer.encode(text).ids) > 6 for text in translate(model, tokenizer, ["el gato"], options)
    )


@pytest.mark.parametrize(
    ("text", "max_length", "refusal"),
    [
        ("", 10, ("no_text",)),
        (" \n\t ", 10, ("no_text",)),
        ("el gato " * 2000, 10, ("text_too_long", 512)),
        ("el gato", 0, ("not_whole_within", "max_length", "1")),
        ("el gato", 1000, ("max_length_out_of_range",)),
        ("el gato", 100_000, ("not_whole_within", "max_length", "1")),
    ],
)
def test_a_bad_request_is_refused_with_a_sentence(
    model: Seq2SeqModel, tokenizer: Tokenizer, text: str, max_length: int, refusal: Refusal
) -> None:
    with refused(DecodingError, *refusal):
        decode(model, tokenizer, text, DecodingOptions("greedy", max_length=max_length))


@pytest.mark.parametrize(
    "text", ["☃☃☃", "<script>alert(1)</script>", "${alert(1)}", "</s>", "مرحبا", "😀 👩‍👩‍👧"]
)
def test_any_text_is_decoded_and_recorded_unchanged(
    model: Seq2SeqModel, tokenizer: Tokenizer, text: str
) -> None:
    trace = decode(model, tokenizer, text, DecodingOptions(beam_size=2, max_length=6))
    assert trace.source_text == text
    assert [token.id for token in trace.source].count(Tokenizer.eos_id) == 1
