"""The interventions of a user: first tokens under every strategy, typed tokens, rows of attention."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from models.decoding.decode import decode
from models.decoding.interventions import Intervention, token_ids_of_text
from models.decoding.limits import DecodingError
from models.decoding.options import DecodingOptions
from models.decoding.search.strategy import DecodingStrategy
from models.decoding.status import Reason
from models.decoding.strategies.beam_search import BeamSearch
from models.decoding.strategies.diverse import DiverseBeamSearch
from models.decoding.strategies.exact import ExactSearch
from models.decoding.strategies.exhaustive import ExhaustiveSearch
from models.decoding.strategies.greedy import Greedy
from models.decoding.strategies.minimum_bayes_risk import MinimumBayesRisk
from models.decoding.strategies.sampling import Sampling
from models.decoding.strategies.stochastic import StochasticBeamSearch
from models.decoding.strategies.threshold import ThresholdBeamSearch
from models.decoding.trace import AttentionOverride, DecodingTrace
from models.networks.architectures import build_model
from models.networks.base import Seq2SeqModel
from models.networks.recurrent.config import RecurrentConfig
from models.networks.transformer.config import TransformerConfig
from models.registry.registry import Registry
from models.tokenization.tokenizer import Tokenizer
from tests.fakes.markov import EOS, MarkovModel
from tests.models.decoding.search.running import finished_of, trace_of
from tests.refusals import Refusal, refused

A, B, C = 4, 5, 6
STRATEGIES: list[DecodingStrategy] = [
    Greedy(),
    BeamSearch(3),
    ThresholdBeamSearch(3, threshold=0.5),
    DiverseBeamSearch(4, num_groups=2),
    StochasticBeamSearch(3),
    Sampling(4),
    MinimumBayesRisk(4),
    ExactSearch(),
    ExhaustiveSearch(3),
]
NETWORKS = [
    RecurrentConfig(d_embed=8, d_model=8, d_attention=8),
    TransformerConfig(d_model=16, num_heads=2, d_ff=16, num_layers=1, num_decoder_layers=2),
]


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda strategy: strategy.name)
def test_forced_tokens_begin_every_output_with_the_model_s_own_numbers(strategy: DecodingStrategy) -> None:
    model = MarkovModel.random(letters=4, seed=2)
    forced = (C, A)
    trace = trace_of(model, strategy, 5, forced=forced)
    assert trace.hypotheses
    for hypothesis in trace.hypotheses:
        path = trace.path(hypothesis.node)
        assert tuple(node.token_id for node in path[:2]) == forced
        assert [node.reason for node in path[:2]] == [Reason.FORCED] * 2
        assert hypothesis.log_prob == pytest.approx(model.log_prob(hypothesis.token_ids), abs=1e-4)
        for node, last in zip(path[:2], (2, C), strict=True):
            law = model.law[last]
            assert node.log_prob == pytest.approx(law[node.token_id].log().item(), abs=1e-5)
            assert node.token_rank == int((law > law[node.token_id]).sum())


@pytest.mark.parametrize("seed", range(4))
def test_the_model_s_own_prefix_changes_nothing(seed: int) -> None:
    model = MarkovModel.random(letters=6, seed=seed)
    free = finished_of(model, Greedy(), 12)[0]
    for length in range(len(free.tokens) + 1):
        again = finished_of(model, Greedy(), 12, forced=free.tokens[:length])[0]
        assert (again.tokens, again.log_prob) == (free.tokens, free.log_prob)


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda strategy: strategy.name)
def test_a_forced_end_ends_everything(strategy: DecodingStrategy) -> None:
    result = finished_of(MarkovModel.random(letters=4, seed=2), strategy, 5, forced=(A, EOS))
    assert {output.tokens for output in result} == {(A, EOS)}


@pytest.fixture(scope="module")
def letters() -> Tokenizer:
    return Tokenizer.train(("hola amigo", "hasta luego"), "character", vocab_size=40)


@pytest.fixture(params=NETWORKS, ids=lambda config: type(config).__name__)
def model(request: pytest.FixtureRequest, letters: Tokenizer) -> Seq2SeqModel:
    torch.manual_seed(3)
    return build_model(request.param, letters.vocab_size, Tokenizer.pad_id)


def greedy(
    model: Seq2SeqModel, letters: Tokenizer, *overrides: AttentionOverride, forced: tuple[int, ...] = ()
) -> DecodingTrace:
    return decode(
        model,
        letters,
        "hola",
        DecodingOptions("greedy", max_length=6),
        intervention=Intervention(forced, overrides),
    )


def test_the_model_s_own_attention_changes_nothing(model: Seq2SeqModel, letters: Tokenizer) -> None:
    free = greedy(model, letters)
    path = free.path(free.hypotheses[0].node)
    rows = []
    for node in path:
        attention = free.row(node).attention
        rows += [
            AttentionOverride(node.step, weights, layer, head)
            for layer, heads in enumerate(attention)
            for head, weights in enumerate(heads)
        ]
    again = greedy(model, letters, *rows)
    assert again.hypotheses[0].token_ids == free.hypotheses[0].token_ids
    assert again.hypotheses[0].log_prob == pytest.approx(free.hypotheses[0].log_prob, abs=1e-4)


def test_the_decoder_uses_a_replaced_attention_row(model: Seq2SeqModel, letters: Tokenizer) -> None:
    free = greedy(model, letters)
    row = (0.0, 0.0, 1.0, 0.0, 0.0)
    forced = free.hypotheses[0].token_ids[:1]
    edited = greedy(model, letters, AttentionOverride(1, row), forced=forced)
    (observed,) = edited.steps[1].rows
    for layer in observed.attention:
        for head in layer:
            assert head == pytest.approx(row)
    before = free.steps[1].rows[0]
    assert observed.top[0].log_prob != pytest.approx(before.top[0].log_prob, abs=1e-7)
    rows = (trace.steps[0].rows[0] for trace in (edited, free))
    # An edit has to take its token.
    after_edit, before_edit = (replace(row, allowed=None, chances=None) for row in rows)
    assert after_edit == before_edit
    assert DecodingTrace.from_json(edited.to_json()).overrides == edited.overrides


def test_one_head_alone_can_be_replaced(letters: Tokenizer) -> None:
    torch.manual_seed(3)
    model = build_model(NETWORKS[1], letters.vocab_size, Tokenizer.pad_id)
    row = (0.0, 1.0, 0.0, 0.0, 0.0)
    free = greedy(model, letters).steps[0].rows[0].attention
    edited = greedy(model, letters, AttentionOverride(0, row, layer=1, head=0)).steps[0].rows[0].attention
    assert edited[1][0] == pytest.approx(row)
    assert edited[0] == free[0]
    assert edited[1][1] == pytest.approx(free[1][1], abs=1e-5)


@pytest.mark.parametrize(
    ("override", "refusal"),
    [
        (AttentionOverride(0, (0.5,) * 5), ("attention_sum",)),
        (AttentionOverride(0, (1.0,)), ("attention_row_length", 5, 1)),
        (AttentionOverride(0, (1.5, -0.5, 0, 0, 0)), ("attention_weight_out_of_range",)),
        (AttentionOverride(9, (1.0, 0, 0, 0, 0)), ("no_such_step", 10)),
        (AttentionOverride(0, (1.0, 0, 0, 0, 0), layer=7), ("no_such_part_of_attention", 8)),
    ],
)
def test_an_invalid_attention_row_is_refused(
    model: Seq2SeqModel, letters: Tokenizer, override: AttentionOverride, refusal: Refusal
) -> None:
    with refused(DecodingError, *refusal):
        greedy(model, letters, override)


def test_replacing_attention_of_a_network_without_it_is_refused(letters: Tokenizer) -> None:
    config = RecurrentConfig(d_embed=8, d_model=8, attention="none")
    model = build_model(config, letters.vocab_size, Tokenizer.pad_id)
    with refused(DecodingError, "no_attention_to_replace"):
        greedy(model, letters, AttentionOverride(0, (1.0, 0, 0, 0, 0)))


@pytest.mark.parametrize(
    ("forced", "refusal"),
    [((3, 4), ("forced_after_end",)), ((4,) * 7, ("too_many_forced", 7)), ((-1,), ("no_such_token", -1))],
)
def test_an_invalid_prefix_is_refused(
    model: Seq2SeqModel, letters: Tokenizer, forced: tuple[int, ...], refusal: Refusal
) -> None:
    with refused(DecodingError, *refusal):
        greedy(model, letters, forced=forced)


def test_an_exhaustive_search_too_large_for_a_whole_text_fits_behind_a_prefix(letters: Tokenizer) -> None:
    model = build_model(NETWORKS[0], letters.vocab_size, Tokenizer.pad_id)
    h = letters.token_id("h")
    with refused(DecodingError, "too_many_sequences"):
        decode(model, letters, "hola", DecodingOptions("exhaustive", beam_size=2, max_length=5))
    trace = decode(
        model,
        letters,
        "hola",
        DecodingOptions("exhaustive", beam_size=2, max_length=5),
        intervention=Intervention((h, h, h)),
    )
    assert trace.hypotheses
    assert all(hypothesis.token_ids[:3] == (h, h, h) for hypothesis in trace.hypotheses)


@pytest.fixture(scope="module")
def subwords() -> Tokenizer:
    return Registry(Path(__file__).parents[3] / "checkpoints").tokenizer("spa-eng-gru")


def spelt(tokenizer: Tokenizer, text: str) -> list[str]:
    return [tokenizer.token(token_id) for token_id in token_ids_of_text(tokenizer, text)]


def test_a_typed_word_in_the_vocabulary_is_one_token(subwords: Tokenizer) -> None:
    assert spelt(subwords, "house") == ["▁house"]
    assert spelt(subwords, " ▁house ") == ["▁house"]
    assert spelt(subwords, "</s>") == ["</s>"]


def test_a_typed_word_outside_the_vocabulary_is_split_into_pieces(subwords: Tokenizer) -> None:
    pieces = spelt(subwords, "Zanzibarland")
    assert len(pieces) > 1
    assert "".join(pieces) == "▁Zanzibarland"


@pytest.mark.parametrize(
    ("text", "refusal"), [("  ", ("no_token_to_force",)), ("语", ("words_unknown", "word_in_quotes", "语"))]
)
def test_an_unknown_token_cannot_be_forced(subwords: Tokenizer, text: str, refusal: Refusal) -> None:
    with refused(DecodingError, *refusal):
        token_ids_of_text(subwords, text)
