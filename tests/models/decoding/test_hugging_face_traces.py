"""Traces, scores and interventions on networks of the transformers library."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from models.decoding.decode import decode
from models.decoding.interventions import Intervention, token_ids_of_text
from models.decoding.judge.rescore import rescore, rescore_ids
from models.decoding.limits import DecodingError
from models.decoding.options import DecodingOptions
from models.decoding.outputs import outputs, translate
from models.decoding.status import Reason
from models.decoding.strategies import names
from models.decoding.trace import AttentionOverride, DecodingTrace
from models.networks.hugging_face import HuggingFaceModel
from models.tokenization.hugging_face import HuggingFaceTokenizer
from tests.fakes.hugging_face.networks import FAMILIES
from tests.fakes.hugging_face.tokenizers import SENTENCES, marian, nllb, t5
from tests.grids import full_only
from tests.refusals import refused

pytestmark = pytest.mark.slow

MAX_LENGTH = 7
OPTIONS = [  # these vocabularies are too large for exhaustive search
    DecodingOptions(
        name,
        num_samples=3,
        temperature=0.8,
        top_p=0.9,
        node_budget=200,
        length_penalty=0.6,
        max_length=MAX_LENGTH,
    )
    for name in names()
    if name != "exhaustive"
]
GREEDY = DecodingOptions("greedy", max_length=MAX_LENGTH)
BEAM = DecodingOptions(beam_size=4, length_penalty=1.0, max_length=MAX_LENGTH)
every_strategy = pytest.mark.parametrize("options", OPTIONS, ids=lambda options: options.strategy)


@pytest.fixture(scope="module", params=["marian", *full_only(["t5", "nllb"])])
def ready(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The model, its tokenizer, and the library's own of both."""
    folder: Path = tmp_path_factory.mktemp("marian")
    makers: dict[str, Any] = {"marian": lambda: marian(folder), "t5": t5, "nllb": nllb}
    cut = makers[request.param]()
    family = FAMILIES[request.param]
    size = len(cut) + 2
    starts = {"marian": cut.pad_token_id, "t5": cut.pad_token_id, "nllb": cut.eos_token_id}
    never = (cut.pad_token_id,) if request.param == "marian" else ()
    first = (cut.convert_tokens_to_ids("fra_Latn"),) if request.param == "nllb" else ()
    family = replace(
        family,
        pad=cut.pad_token_id,
        end=cut.eos_token_id,
        start=starts[request.param],
        never=never,
        first=first,
        forces_end=request.param == "marian",
        end_bias=-2.0,  # otherwise most outputs would be empty
        settings=(*family.settings, ("vocab_size", size)),
    )
    theirs = family.make()
    prefix = "la casa " if request.param == "t5" else ""
    tokenizer = HuggingFaceTokenizer(cut, theirs.generation_config.to_dict(), size)
    tokenizer = tokenizer.in_variant("", "", prefix)
    assert (tokenizer.first_ids, tokenizer.never_ids, tokenizer.forces_end) == (
        first,
        never,
        family.forces_end,
    )
    return HuggingFaceModel(family.make(), tokenizer.never_ids), tokenizer, theirs, cut


def traced(ready: Any, options: DecodingOptions, **intervention: Any) -> DecodingTrace:
    model, tokenizer, *_ = ready
    return decode(model, tokenizer, SENTENCES[0], options, intervention=Intervention(**intervention))


@every_strategy
def test_every_strategy_records_a_consistent_trace(ready: Any, options: DecodingOptions) -> None:
    model, tokenizer, *_ = ready
    trace = traced(ready, options)
    assert DecodingTrace.from_json(trace.to_json()) == trace
    assert trace.hypotheses
    source = [token.id for token in trace.source]
    for hypothesis in trace.hypotheses:
        assert hypothesis.token_ids[: len(tokenizer.first_ids)] == tokenizer.first_ids
        assert not set(hypothesis.token_ids) & set(tokenizer.never_ids)
        assert hypothesis.text == tokenizer.decode(hypothesis.token_ids)
        path = trace.path(hypothesis.node)
        assert sum(node.log_prob for node in path) == pytest.approx(hypothesis.log_prob, abs=1e-4)
        tokens = rescore_ids(model, source, hypothesis.token_ids, tokenizer)
        closed = path[-1].reason is Reason.CLOSING  # no text says where a search was cut off
        for token, node in list(zip(tokens, path, strict=True))[: len(path) - closed]:
            assert token.log_prob == pytest.approx(node.log_prob, abs=1e-4)
        assert [token.surface for token in tokens] == [node.token for node in path]
    rows = [row for step in trace for row in step.rows]
    for row in rows:
        assert row.attention is not None
        assert all(
            sum(head) == pytest.approx(1, abs=1e-4) and len(head) == len(source)
            for layer in row.attention
            for head in layer
        )


def test_a_batch_decodes_like_single_texts(ready: Any) -> None:
    model, tokenizer, *_ = ready
    texts = [f"{one} {other}" for one in SENTENCES for other in SENTENCES]
    options = replace(BEAM, length_penalty=0.0, early_stopping="never")
    alone = [outputs(model, tokenizer, [text], options)[0] for text in texts]
    together = outputs(model, tokenizer, texts, options)
    assert [output.tokens for output in together] == [output.tokens for output in alone]
    assert [output.score for output in together] == pytest.approx(
        [output.score for output in alone], abs=1e-4
    )


def test_tokens_that_every_output_has_cost_nothing(ready: Any) -> None:
    """The `sequences_scores` of `generate` do the same: no model predicts the code of the language."""
    _, tokenizer, *_ = ready
    trace = traced(ready, BEAM)
    opening = len(tokenizer.first_ids)
    for hypothesis in trace.hypotheses:
        path = trace.path(hypothesis.node)
        closed = path[-1].reason is Reason.CLOSING
        assert closed == (tokenizer.forces_end and len(path) == MAX_LENGTH)
        costs = [node.log_prob for node in path]
        assert costs[:opening] == [0.0] * opening
        assert not closed or costs[-1] == 0.0
        assert hypothesis.rank_score is None
        assert hypothesis.log_prob == pytest.approx(sum(costs), abs=1e-4)
    scores = [hypothesis.score for hypothesis in trace.hypotheses]
    assert scores == sorted(scores, reverse=True)


def test_tokens_forced_up_to_the_length_limit_are_the_output(ready: Any) -> None:
    _, tokenizer, *_ = ready
    word = token_ids_of_text(tokenizer, "perro")[:1] * (MAX_LENGTH - len(tokenizer.first_ids))
    (hypothesis,) = traced(ready, GREEDY, forced=word).hypotheses
    assert hypothesis.token_ids == (*tokenizer.first_ids, *word)
    assert not hypothesis.ended


@every_strategy
def test_repeating_a_request_repeats_its_trace(ready: Any, options: DecodingOptions) -> None:
    assert traced(ready, options) == traced(ready, options)


@pytest.mark.parametrize("beams", [1, 4])
def test_the_text_equals_the_librarys_output(ready: Any, beams: int) -> None:
    model, tokenizer, theirs, cut = ready
    options = replace(BEAM, beam_size=beams)
    texts = translate(model, tokenizer, SENTENCES, options)
    prefix = "la casa " if tokenizer.first_ids == () == tokenizer.never_ids else ""
    inputs = cut([prefix + sentence for sentence in SENTENCES], return_tensors="pt", padding=True)
    with torch.no_grad():
        expected = theirs.generate(
            **inputs,
            num_beams=beams,
            max_new_tokens=MAX_LENGTH,
            do_sample=False,
            length_penalty=1.0,
            suppress_tokens=[cut.pad_token_id],  # padding is never written here
        )
    assert texts == [tokenizer.decode(row[1:].tolist()) for row in expected]
    assert len(set(texts)) > 1
    alone = [decode(model, tokenizer, text, options) for text in SENTENCES]
    assert [trace.hypotheses[0].text for trace in alone] == texts


def test_forcing_the_network_s_own_tokens_changes_nothing(ready: Any) -> None:
    free = traced(ready, GREEDY)
    (best,) = free.hypotheses
    forced = traced(ready, GREEDY, forced=best.token_ids[:3])
    assert forced.hypotheses[0].token_ids == best.token_ids
    assert forced.hypotheses[0].log_prob == pytest.approx(best.log_prob, abs=1e-5)


def test_the_first_tokens_of_an_output_may_be_forced_or_omitted(ready: Any) -> None:
    _, tokenizer, *_ = ready
    word = token_ids_of_text(tokenizer, "perro")
    short, whole = (traced(ready, BEAM, forced=ids) for ids in (word, (*tokenizer.first_ids, *word)))
    assert short == whole
    assert short.forced == (*tokenizer.first_ids, *word)
    opening = len(short.forced)
    for step in short.steps[:opening]:
        assert {node.reason for node in step.nodes if node.parent is None or step.index} <= {
            Reason.FORCED if step.index >= short.opening else Reason.OPENING,
            Reason.EARLY_STOP,
        }
    for hypothesis in short.hypotheses:
        assert hypothesis.token_ids[:opening] == short.forced
    free = traced(ready, BEAM)
    assert (free.forced, free.opening) == ((), len(tokenizer.first_ids))
    assert traced(ready, BEAM, forced=tokenizer.first_ids) == free


def test_replaced_attention_is_used_and_changes_the_predictions(ready: Any) -> None:
    _, tokenizer, *_ = ready
    free = traced(ready, GREEDY)
    index = len(tokenizer.first_ids)
    weights = (1.0,) + (0.0,) * (len(free.source) - 1)
    edited = traced(ready, GREEDY, overrides=(AttentionOverride(index, weights, layer=1, head=2),))
    before, after = free.steps[index].rows[0], edited.steps[index].rows[0]
    assert before.attention is not None
    assert after.attention is not None
    assert after.attention[1][2] == weights
    assert after.attention[1][1] == pytest.approx(before.attention[1][1], abs=1e-5)
    assert [token.log_prob for token in after.top] != [token.log_prob for token in before.top]


def test_a_given_text_is_scored_after_the_forced_first_tokens(ready: Any) -> None:
    model, tokenizer, *_ = ready
    scored = rescore(model, tokenizer, SENTENCES[0], "el gato duerme")
    text = tokenizer.target.encode("el gato duerme").ids
    assert scored.token_ids == (*tokenizer.first_ids, *text)
    assert tokenizer.decode(scored.token_ids) == "el gato duerme"
    forced = traced(ready, GREEDY, forced=scored.token_ids[:MAX_LENGTH])
    path = forced.path(forced.hypotheses[0].node)
    assert [n.log_prob for n in path] == pytest.approx(
        [t.log_prob for t in scored.tokens[:MAX_LENGTH]], abs=1e-4
    )


def test_the_end_token_can_be_forced_and_an_unknown_word_cannot(ready: Any) -> None:
    _, tokenizer, *_ = ready
    assert token_ids_of_text(tokenizer, tokenizer.token(tokenizer.eos_id)) == [tokenizer.eos_id]
    with refused(DecodingError, "words_unknown"):
        token_ids_of_text(tokenizer, "Ω")
