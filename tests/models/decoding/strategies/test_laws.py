"""Laws of every strategy, on every network: sums, replays, batches, JSON."""

from __future__ import annotations

import json
import math
from contextlib import suppress
from copy import copy, deepcopy
from dataclasses import replace
from typing import Any

import pytest
import torch

from models.decoding.decode import decode
from models.decoding.judge.rescore import rescore_ids
from models.decoding.limits import MAX_LENGTH, DecodingError
from models.decoding.options import DecodingOptions, settings
from models.decoding.outputs import outputs, translate
from models.decoding.record.untrusted import read_untrusted
from models.decoding.status import Stop
from models.decoding.strategies import description_of, names, users
from models.decoding.trace import DecodingTrace
from models.networks.architectures import build_model
from models.networks.base import Seq2SeqModel
from models.networks.recurrent.config import RecurrentConfig
from models.networks.transformer.config import TransformerConfig
from models.tokenization.tokenizer import Tokenizer
from tests.grids import full_only
from tests.refusals import refused

# Other values than the defaults, so that each setting has an effect. Exhaustive search gets fewer steps.
PRESCRIBED: dict[str, Any] = {
    "beam_size": 4,
    "num_groups": 2,
    "diversity": 0.4,
    "threshold": 0.7,
    "node_budget": 2000,
    "normalizer": "gnmt",
    "length_penalty": 0.6,
    "early_stopping": "never",
    "max_length": 5,
    "num_samples": 5,
    "temperature": 0.8,
    "top_k": 9,
    "top_p": 0.9,
    "min_p": 0.01,
}
# Settings that the tests below or other modules vary.
ELSEWHERE = {
    "strategy",
    "seed",
    "utility",
    "min_length",
    "no_repeat_ngram_size",
    "repetition_penalty",
    "banned",
    "must_contain",
}


def other_value(name: str) -> Any:
    """Another value of a choice, or the number one step from the default of a setting."""
    setting = settings()[name]
    nearest = (setting.default + sign * setting.step for sign in (1, -1)) if not setting.choices else ()
    return next(
        value
        for value in (*setting.words, *nearest)
        if value != setting.default and not setting.problem(value)
    )


VARIED = PRESCRIBED | {
    name: other_value(name) for name in settings() if name not in {*PRESCRIBED, *ELSEWHERE}
}
OPTIONS = [
    DecodingOptions(name, **{**VARIED, "max_length": 3} if name == "exhaustive" else VARIED)
    for name in names()
] + [DecodingOptions(name, utility="bleu", **VARIED) for name in users("utility")]
NETWORKS = [
    RecurrentConfig(d_embed=8, d_model=8, d_attention=8),
    TransformerConfig(d_model=16, num_heads=2, d_ff=16, num_layers=1, num_decoder_layers=2),
]
TEXTS = ("hola amigo", "hasta luego", "buenos días", "adiós")


def test_every_setting_is_varied() -> None:
    assert settings().keys() - VARIED.keys() == ELSEWHERE
    assert other_value("min_p") == settings()["min_p"].step
    assert other_value("early_stopping") != settings()["early_stopping"].default
    assert other_value("beam_size") == settings()["beam_size"].default + 1
    usual = {"beam_size", "num_groups"}  # more than one of each already
    assert {name for name, value in VARIED.items() if value == settings()[name].default} == usual


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.train(TEXTS, "character", vocab_size=40)


@pytest.fixture(params=[NETWORKS[0], *full_only(NETWORKS[1:])], ids=lambda config: type(config).__name__)
def model(request: pytest.FixtureRequest, tokenizer: Tokenizer) -> Seq2SeqModel:
    torch.manual_seed(1)
    model = build_model(request.param, tokenizer.vocab_size, Tokenizer.pad_id)
    with torch.no_grad():  # sharper than a random network is, so that beams and ends differ
        model.output.bias.normal_(std=1.5)
    return model


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: f"{options.strategy}-{options.utility}")
class TestEveryStrategy:
    def test_the_steps_sum_to_the_total_and_a_forward_pass_agrees(
        self, model: Seq2SeqModel, tokenizer: Tokenizer, options: DecodingOptions
    ) -> None:
        trace = decode(model, tokenizer, TEXTS[0], options)
        source = [token.id for token in trace.source]
        assert trace.hypotheses
        for hypothesis in trace.hypotheses:
            path = trace.path(hypothesis.node)
            assert math.fsum(node.log_prob for node in path) == pytest.approx(hypothesis.log_prob, abs=1e-5)
            forced = rescore_ids(model, source, hypothesis.token_ids)
            log_probs = [token.log_prob for token in forced]
            assert [node.log_prob for node in path] == pytest.approx(log_probs, abs=1e-5)
            assert [node.token_rank for node in path] == [token.rank for token in forced]

    def test_a_network_whose_scores_are_no_numbers_is_refused(
        self, model: Seq2SeqModel, tokenizer: Tokenizer, options: DecodingOptions
    ) -> None:
        broken = deepcopy(model)
        with torch.no_grad():
            broken.output.bias[tokenizer.vocab_size - 1] = math.nan  # no token that a search would take
        with refused(DecodingError, "scores_are_no_numbers"):
            decode(broken, tokenizer, TEXTS[0], options)
        with refused(DecodingError, "scores_are_no_numbers"):
            rescore_ids(broken, [5, tokenizer.eos_id], [5, tokenizer.eos_id])

    def test_attention_sums_to_one(
        self, model: Seq2SeqModel, tokenizer: Tokenizer, options: DecodingOptions
    ) -> None:
        trace = decode(model, tokenizer, TEXTS[0], options)
        for step in trace:
            for row in step.rows:
                assert torch.tensor(row.attention).sum(dim=-1) == pytest.approx(1, abs=1e-4)

    @pytest.mark.slow
    def test_the_same_seed_gives_the_same_trace(
        self, model: Seq2SeqModel, tokenizer: Tokenizer, options: DecodingOptions
    ) -> None:
        first, again = (
            decode(model, tokenizer, TEXTS[1], replace(options, seed=4)).to_json() for _ in range(2)
        )
        assert first == again

    @pytest.mark.slow
    def test_a_batch_finds_what_each_text_finds_alone(
        self, model: Seq2SeqModel, tokenizer: Tokenizer, options: DecodingOptions
    ) -> None:
        texts = TEXTS * 3
        together = outputs(model, tokenizer, texts, options, batch_rows=1000)
        for text, result in zip(texts, together, strict=True):
            alone = decode(model, tokenizer, text, options).hypotheses[0]
            assert result.tokens == alone.token_ids
            assert result.log_prob == pytest.approx(alone.log_prob, abs=1e-4)

    @pytest.mark.slow
    def test_a_trace_survives_json(
        self, model: Seq2SeqModel, tokenizer: Tokenizer, options: DecodingOptions
    ) -> None:
        trace = decode(model, tokenizer, TEXTS[2], options)
        again = DecodingTrace.from_json(trace.to_json())
        assert (again.steps, again.hypotheses) == (trace.steps, trace.hypotheses)
        assert (again.exploration, again.utilities) == (trace.exploration, trace.utilities)
        assert again.to_json() == trace.to_json()
        assert read_untrusted(trace.to_json()) == again

    @pytest.mark.slow
    def test_many_texts_are_translated(
        self, model: Seq2SeqModel, tokenizer: Tokenizer, options: DecodingOptions
    ) -> None:
        outputs = translate(model, tokenizer, TEXTS, options)
        assert len(outputs) == len(TEXTS)
        if not description_of(options.strategy).draws:  # no draws to share out
            alone = [decode(model, tokenizer, text, options).hypotheses[0].text for text in TEXTS]
            assert outputs == alone

    def test_a_cancelled_search_returns_its_finished_outputs(
        self, model: Seq2SeqModel, tokenizer: Tokenizer, options: DecodingOptions
    ) -> None:
        def third(step) -> Stop | None:
            return Stop.CANCELLED if step.number >= 2 else None

        trace = decode(model, tokenizer, TEXTS[0], options, on_step=third)
        ran_out = trace.exploration.stop is Stop.COMPLETE and len(trace.steps) <= 3
        assert trace.exploration.stop is Stop.CANCELLED or ran_out
        assert len(trace.steps) <= 3
        assert all(trace.path(hypothesis.node) for hypothesis in trace.hypotheses)

    @pytest.mark.slow
    def test_padding_is_never_written_and_shown_as_padding(
        self, model: Seq2SeqModel, tokenizer: Tokenizer, options: DecodingOptions
    ) -> None:
        with torch.no_grad():  # simulates a network that learnt to pad
            model.output.bias[tokenizer.pad_id] = 9.0
        trace = decode(model, tokenizer, TEXTS[0], options)
        assert trace.hypotheses
        assert tokenizer.pad_id not in {node.token_id for node in trace.nodes.values()}
        first = trace.steps[0].rows[0].top[0]
        assert first.token_id == tokenizer.pad_id
        assert math.exp(first.log_prob) > 0.9
        assert "<pad>" not in "".join(translate(model, tokenizer, TEXTS, options))

    def test_a_search_without_allowed_tokens_does_not_crash(
        self, model: Seq2SeqModel, tokenizer: Tokenizer, options: DecodingOptions
    ) -> None:
        strict = copy(model)
        strict.never_ids = tuple(i for i in range(tokenizer.vocab_size) if i != tokenizer.eos_id)
        trace = decode(strict, tokenizer, TEXTS[0], replace(options, min_length=2))
        assert trace.hypotheses == ()
        assert DecodingTrace.from_json(trace.to_json()).steps == trace.steps


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize(("vocab_size", "steps"), [(2, 1), (1_000_000, MAX_LENGTH)])
def test_a_space_of_any_size_is_allowed_or_refused(name: str, vocab_size: int, steps: int) -> None:
    with suppress(DecodingError):
        DecodingOptions(name).build_strategy().check(vocab_size, steps)


def test_many_texts_are_refused_like_a_single_one(model: Seq2SeqModel, tokenizer: Tokenizer) -> None:
    options = DecodingOptions("exhaustive", max_length=20)
    with refused(DecodingError, "too_many_sequences"):
        decode(model, tokenizer, TEXTS[0], options)
    with refused(DecodingError, "too_many_sequences"):
        outputs(model, tokenizer, TEXTS, options)


def test_exhaustive_search_finds_the_output_of_exact_search() -> None:
    tokenizer = Tokenizer.train(("ab", "ba"), "character", vocab_size=8)
    torch.manual_seed(0)
    model = build_model(NETWORKS[0], tokenizer.vocab_size, Tokenizer.pad_id)
    best = decode(
        model, tokenizer, "ab", DecodingOptions("exhaustive", beam_size=1, max_length=5)
    ).hypotheses[0]
    exact = decode(model, tokenizer, "ab", DecodingOptions("exact", max_length=5)).hypotheses[0]
    assert best.token_ids == exact.token_ids
    assert best.log_prob == pytest.approx(exact.log_prob, abs=1e-5)


def test_exact_search_with_a_small_budget_is_no_worse_than_a_beam(tokenizer: Tokenizer) -> None:
    torch.manual_seed(0)
    model = build_model(NETWORKS[0], tokenizer.vocab_size, Tokenizer.pad_id)  # nearly uniform
    beam = decode(model, tokenizer, TEXTS[0], DecodingOptions(beam_size=4, max_length=40)).hypotheses[0]
    trace = decode(model, tokenizer, TEXTS[0], DecodingOptions("exact", node_budget=1000, max_length=40))
    if trace.exploration.stop is Stop.BUDGET:
        assert trace.exploration.expanded >= 1000
    assert trace.hypotheses[0].log_prob >= beam.log_prob - 1e-3


def test_minimum_bayes_risk_ranks_by_expected_utility(model: Seq2SeqModel, tokenizer: Tokenizer) -> None:
    trace = decode(model, tokenizer, TEXTS[0], DecodingOptions("mbr", num_samples=8, max_length=8))
    expected = [sum(row) / len(row) for row in trace.utilities.matrix]
    assert [hypothesis.utility for hypothesis in trace.hypotheses] == pytest.approx(expected)
    assert expected == sorted(expected, reverse=True)
    texts = [hypothesis.text for hypothesis in trace.hypotheses]
    for i, row in enumerate(trace.utilities.matrix):
        for j, value in enumerate(row):
            assert value == pytest.approx(100) or texts[i] != texts[j] or not texts[i].strip()


def test_a_trace_of_version_1_can_still_be_read(model: Seq2SeqModel, tokenizer: Tokenizer) -> None:
    trace = decode(model, tokenizer, TEXTS[0], DecodingOptions(beam_size=3, max_length=5))
    data = json.loads(trace.to_json())
    for name in ("forced", "overrides", "exploration", "utilities"):
        del data[name]
    for record in (*(node for step in data["steps"] for node in step["nodes"]), *data["hypotheses"]):
        del record["order"], record["group"]
    for hypothesis in data["hypotheses"]:
        del hypothesis["utility"]
    old = DecodingTrace.from_json(json.dumps(data | {"schema_version": 1}))
    assert (old.steps, old.hypotheses) == (trace.steps, trace.hypotheses)
    assert old.exploration is None
