"""Tokens that are never written leave before the softmax, wherever a distribution is shown or scored.

The peer is `generate(renormalize_logits=True)` on a Marian as converters make it. Its padding has an
embedding and a bias of zero, so the logit of padding is always 0 and takes a large share of each step.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import torch
from transformers import MarianMTModel

from models.decoding.decode import decode
from models.decoding.interventions import Intervention
from models.decoding.judge.rescore import rescore_ids
from models.decoding.limits import DecodingError
from models.decoding.options import DecodingOptions
from models.decoding.strategies import names
from models.decoding.trace import DecodingTrace
from models.evaluation.text_scores import score_texts
from models.inspection.contributions import source_gain
from models.inspection.lens import read_out
from models.inspection.question import ExplainedPrediction, InspectionError, Question
from models.networks.base import Seq2SeqModel
from models.networks.hugging_face import HuggingFaceModel
from models.tokenization.tokenizer import Encoding, Tokenizer
from tests.fakes.hugging_face.marian import EOS, PAD, random_marian
from tests.refusals import refused
from tests.source_modules import sources

EXACT = 1e-5  # the error of up to ten float32 numbers, 1e-6 each
SOURCES = [[5, 9, 14, 3, EOS], [7, 22, EOS], [31, 31, 8, 12, 6, 19, EOS]]
MAX_LENGTH = 10


class NumberTokenizer(Tokenizer):
    """Reads and writes token ids as numbers, with the special tokens of Marian."""

    pad_id, bos_id, eos_id, unk_id = PAD, PAD, EOS, 2
    never_ids = (PAD,)
    vocab_size, picture = 40, None  # type: ignore[assignment]
    special_ids = frozenset((PAD, EOS))

    def __init__(self) -> None:
        self.target = self

    def encode(self, text: str) -> Encoding:
        ids = tuple(map(int, text.split()))
        spans = tuple(match.span() for match in re.finditer(r"\S+", text))
        return Encoding(text, ids, tuple(map(str, ids)), spans, ())

    def decode(self, ids: Any) -> str:
        return " ".join(str(i) for i in ids if i not in self.special_ids)

    def token(self, token_id: int) -> str:
        return str(token_id)


TOKENIZER = NumberTokenizer()


@pytest.fixture(scope="module")
def theirs() -> MarianMTModel:
    """A random Marian whose padding has an embedding and a bias of zero."""
    torch.manual_seed(4)
    model = random_marian(scale=3.0)
    with torch.no_grad():
        model.model.shared.weight[PAD] = 0.0
        model.final_logits_bias -= 8.0
        model.final_logits_bias[0, PAD] = 0.0
        model.final_logits_bias[0, EOS] += 4.0
    return model


@pytest.fixture(scope="module")
def ours(theirs: MarianMTModel) -> Seq2SeqModel:
    return HuggingFaceModel(theirs, TOKENIZER.never_ids)


def generated(theirs: MarianMTModel, source: list[int], **settings: Any) -> Any:
    ids = torch.tensor([source])
    return theirs.generate(
        ids,
        attention_mask=torch.ones_like(ids),
        max_new_tokens=MAX_LENGTH,
        bad_words_ids=[[PAD]],
        renormalize_logits=True,
        return_dict_in_generate=True,
        output_scores=True,
        **({"do_sample": False} | settings),
    )


def traced(ours: Seq2SeqModel, source: list[int], options: DecodingOptions) -> DecodingTrace:
    return decode(ours, TOKENIZER, " ".join(map(str, source)), replace(options, max_length=MAX_LENGTH))


def test_padding_would_take_a_large_share(theirs: MarianMTModel) -> None:
    """Without this the other tests would pass for any network."""
    ids = torch.tensor([SOURCES[0]])
    with torch.no_grad():
        logits = theirs(input_ids=ids, decoder_input_ids=torch.tensor([[PAD]])).logits[0, 0]
    assert logits.softmax(dim=-1)[PAD] > 0.2


@pytest.mark.parametrize("source", SOURCES, ids=len)
def test_greedy_steps_have_the_distribution_of_generate(
    ours: Seq2SeqModel, theirs: MarianMTModel, source: list[int]
) -> None:
    expected = generated(theirs, source)
    trace = traced(ours, source, DecodingOptions("greedy"))
    (best,) = trace.hypotheses
    assert best.token_ids == tuple(expected.sequences[0, 1:].tolist())
    for node, row, scores in zip(
        trace.path(best.node), [step.rows[0] for step in trace.steps], expected.scores, strict=True
    ):
        assert node.log_prob == pytest.approx(float(scores[0, node.token_id]), abs=2e-6)
        for token in row.top:
            assert token.log_prob == pytest.approx(float(scores[0, token.token_id]), abs=2e-6)
        assert row.entropy == pytest.approx(float(torch.special.entr(scores[0].exp()).sum()), abs=1e-4)
        assert PAD not in {token.token_id for token in row.top}


@pytest.mark.parametrize("alpha", [0.0, 1.0])
@pytest.mark.parametrize("source", SOURCES, ids=len)
def test_beams_have_the_scores_of_generate(
    ours: Seq2SeqModel, theirs: MarianMTModel, source: list[int], alpha: float
) -> None:
    expected = generated(
        theirs, source, num_beams=4, num_return_sequences=4, length_penalty=alpha, early_stopping="never"
    )
    options = DecodingOptions(
        "beam", beam_size=4, normalizer="power", length_penalty=alpha, early_stopping="never"
    )
    hypotheses = traced(ours, source, options).hypotheses
    texts = [ids[: ids.index(EOS) + 1] if EOS in ids else ids for ids in expected.sequences[:, 1:].tolist()]
    assert [list(hypothesis.token_ids) for hypothesis in hypotheses] == texts
    assert [hypothesis.score for hypothesis in hypotheses] == pytest.approx(
        expected.sequences_scores.tolist(), abs=EXACT
    )


def test_samples_are_drawn_from_the_distribution_of_generate(
    ours: Seq2SeqModel, theirs: MarianMTModel
) -> None:
    expected = generated(theirs, SOURCES[0], do_sample=True, top_k=0, temperature=1.0).scores[0][0]
    step = traced(ours, SOURCES[0], DecodingOptions("sampling", temperature=1.0)).steps[0]
    for token in step.rows[0].top:
        assert token.log_prob == pytest.approx(float(expected[token.token_id]), abs=2e-6)


@pytest.mark.parametrize("strategy", [name for name in names() if name != "exhaustive"])
def test_a_search_and_every_score_of_its_output_agree(ours: Seq2SeqModel, strategy: str) -> None:
    """Trace, its file, rescoring, evaluation, lens, attribution and contributions."""
    source = SOURCES[0]
    trace = traced(ours, source, DecodingOptions(strategy, beam_size=4, num_samples=3, node_budget=500))
    trace = DecodingTrace.from_json(trace.to_json())
    assert trace.hypotheses
    for hypothesis in trace.hypotheses:
        output = hypothesis.token_ids
        costs = [node.log_prob for node in trace.path(hypothesis.node)]
        for scored in scores_of_tokens(ours, source, output):
            assert scored == pytest.approx(costs, abs=EXACT)


def scores_of_tokens(ours: Seq2SeqModel, source: list[int], output: tuple[int, ...]) -> Iterator[list[float]]:
    """Log-probabilities of the T tokens, by each part of the project that computes them."""
    yield [token.log_prob for token in rescore_ids(ours, source, output, TOKENIZER)]
    yield list(score_texts(ours, [source], [output], TOKENIZER)[0].log_probs)
    yield [reading.log_prob for reading in read_out(ours, source, output, PAD, encoder=False)[-1]]
    questions = [Question(tuple(source), (PAD, *output[:index]), token) for index, token in enumerate(output)]
    yield [ExplainedPrediction(ours, question).value for question in questions]
    yield list(source_gain(ExplainedPrediction(ours, questions[-1]), output, [SOURCES[1]]).log_probs)


def test_a_target_with_a_token_never_written_is_refused(ours: Seq2SeqModel) -> None:
    source = SOURCES[0]
    with refused(DecodingError, "token_never_written"):
        rescore_ids(ours, source, (5, PAD, EOS), TOKENIZER)
    with refused(DecodingError, "token_never_written"):
        decode(ours, TOKENIZER, "5 1", DecodingOptions("greedy"), intervention=Intervention((PAD,)))
    with refused(InspectionError, "token_never_written"):
        ExplainedPrediction(ours, Question(tuple(source), (PAD,), PAD))


def test_only_the_contract_takes_the_softmax_of_logits() -> None:
    """Another softmax would give padding a probability again."""
    softmax = re.compile(r"\b(?:project\(|logits\b)[\w.()\[\], ]*\.(?:log_)?softmax\(")
    places = [
        module.name
        for module in sources("models")
        if "labs" not in module.name and softmax.search(module.text)
    ]
    assert places == ["models.networks.base"]
