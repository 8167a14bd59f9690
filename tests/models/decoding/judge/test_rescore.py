"""Teacher-forced scoring: the same numbers as the search recorded, and a verdict that can be trusted."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch

from models.decoding.decode import decode
from models.decoding.interventions import Intervention
from models.decoding.judge.rescore import rescore, rescore_ids
from models.decoding.judge.verdict import ScoredText
from models.decoding.limits import DecodingError
from models.decoding.options import DecodingOptions
from models.decoding.search.strategy import LengthNormalizer
from models.networks.architectures import build_model
from models.networks.base import Seq2SeqModel
from models.networks.packed import can_pack, pack_linears
from models.networks.recurrent.config import RecurrentConfig
from models.networks.transformer.config import TransformerConfig
from models.registry.checkpoint import Checkpoint
from models.registry.registry import Registry
from models.tokenization.tokenizer import Tokenizer
from tests.fakes.markov import BOS, EOS, PAD, MarkovModel
from tests.refusals import Refusal, refused

NETWORKS = [
    RecurrentConfig(d_embed=8, d_model=8, d_attention=8),
    RecurrentConfig(d_embed=8, d_model=8, attention="none", cell="lstm", context="concat"),
    TransformerConfig(d_model=16, num_heads=2, d_ff=16, num_layers=1, num_decoder_layers=2),
]
TEXTS = ("hola amigo", "buenos días", "hasta luego")


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.train(TEXTS, "character", vocab_size=40)


@pytest.fixture(params=NETWORKS, ids=lambda config: type(config).__name__)
def model(request: pytest.FixtureRequest, tokenizer: Tokenizer) -> Seq2SeqModel:
    torch.manual_seed(0)
    return build_model(request.param, tokenizer.vocab_size, Tokenizer.pad_id)


@pytest.fixture(scope="module")
def reversal() -> Checkpoint:
    return Registry(Path(__file__).parents[4] / "checkpoints").load("reverse-gru", torch.device("cpu"))


@pytest.mark.parametrize("strategy", ["greedy", "beam", "diverse", "sampling"])
def test_each_displayed_token_has_the_log_probability_of_a_teacher_forced_pass(
    model: Seq2SeqModel, tokenizer: Tokenizer, strategy: str
) -> None:
    trace = decode(model, tokenizer, "hola", DecodingOptions(strategy, num_samples=3, max_length=9))
    source = [token.id for token in trace.source]
    for hypothesis in trace.hypotheses:
        forced = rescore_ids(model, source, hypothesis.token_ids)
        log_probs = [token.log_prob for token in forced]
        path = trace.path(hypothesis.node)
        assert [node.log_prob for node in path] == pytest.approx(log_probs, abs=1e-5)
        assert hypothesis.log_prob == pytest.approx(math.fsum(log_probs), abs=1e-5)
        assert [node.token_rank for node in path] == [token.rank for token in forced]


def test_a_shipped_checkpoints_score_of_its_output_equals_the_traces(reversal: Checkpoint) -> None:
    normalizer = LengthNormalizer("gnmt", 0.8)
    options = DecodingOptions(normalizer="gnmt", length_penalty=0.8, max_length=20)
    trace = decode(reversal.model, reversal.tokenizer, "unrolled", options)
    best = trace.hypotheses[0]
    scored = rescore(reversal.model, reversal.tokenizer, "unrolled", best.text, normalizer)
    assert scored.token_ids == best.token_ids
    assert scored.log_prob == pytest.approx(best.log_prob, abs=1e-5)
    assert scored.score == pytest.approx(best.score, abs=1e-5)


def test_a_wrong_answer_scores_below_the_right_one_at_the_token_that_is_wrong(reversal: Checkpoint) -> None:
    right, wrong = (
        rescore(reversal.model, reversal.tokenizer, "abcdef", text) for text in ("fedcba", "fedxba")
    )
    assert all(token.rank == 0 for token in right.tokens)
    assert right.perplexity < 1.1 < wrong.perplexity
    assert min(wrong.tokens, key=lambda token: token.log_prob).surface == "x"


def test_perplexity_is_that_of_the_mean_token(reversal: Checkpoint) -> None:
    scored = rescore(reversal.model, reversal.tokenizer, "abc", "cab")
    mean = sum(token.log_prob for token in scored.tokens) / 4  # three letters and the end
    assert scored.perplexity == pytest.approx(math.exp(-mean))


def test_unknown_tokens_are_marked(reversal: Checkpoint) -> None:
    scored = rescore(reversal.model, reversal.tokenizer, "abc", "cb语")
    assert [token.unknown for token in scored.tokens] == [False, False, True, False]
    assert scored.unknown == ("语",)


@pytest.mark.parametrize(
    ("source", "target", "refusal"),
    [
        ("abc", "  ", ("no_text_to_score",)),
        (" ", "abc", ("no_text",)),
        ("abc", "a" * 400, ("text_to_score_too_long", "401", 256)),
    ],
)
def test_unscorable_texts_are_refused(
    reversal: Checkpoint, source: str, target: str, refusal: Refusal
) -> None:
    with refused(DecodingError, *refusal):
        rescore(reversal.model, reversal.tokenizer, source, target)


@pytest.mark.parametrize("reference", ["hola", "zz zz", "adiós, amigo"])
def test_forcing_a_text_gives_the_same_numbers_with_its_attention(
    model: Seq2SeqModel, tokenizer: Tokenizer, reference: str
) -> None:
    scored = rescore(model, tokenizer, "hola amigo", reference)
    trace = decode(
        model,
        tokenizer,
        "hola amigo",
        DecodingOptions("greedy", max_length=len(scored.tokens)),
        intervention=Intervention(forced=scored.token_ids),
    )
    path = trace.path(trace.hypotheses[0].node)
    assert scored.token_ids == trace.hypotheses[0].token_ids
    for token, node in zip(scored.tokens, path, strict=True):
        row = trace.row(node)
        other = next(candidate for candidate in row.top if candidate.token_id != token.id)
        assert (token.log_prob, token.rank) == (pytest.approx(node.log_prob, abs=1e-5), node.token_rank)
        assert token.entropy == pytest.approx(row.entropy, abs=1e-4)
        assert token.surface == node.token
        assert token.alternative is not None
        assert (token.alternative.token_id, token.alternative.token) == (other.token_id, other.token)
        assert token.alternative.log_prob == pytest.approx(other.log_prob, abs=1e-5)


def test_scoring_happens_without_dropout_on_the_device_of_the_model(
    tokenizer: Tokenizer, device: str
) -> None:
    torch.manual_seed(0)
    config = RecurrentConfig(d_embed=8, d_model=8, d_attention=8, dropout=0.5)
    model = build_model(config, tokenizer.vocab_size, Tokenizer.pad_id).to(device).train()
    first = rescore(model, tokenizer, "hola", "amigo")
    model.train()
    assert rescore(model, tokenizer, "hola", "amigo") == first
    on_cpu = rescore(model.to("cpu"), tokenizer, "hola", "amigo")
    assert first.log_prob == pytest.approx(on_cpu.log_prob, abs=1e-3)


@pytest.mark.skipif(not can_pack(), reason="this build of torch has no packed kernels")
def test_packed_weights_score_as_plain_ones(model: Seq2SeqModel, tokenizer: Tokenizer) -> None:
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(parameter.half())  # as a checkpoint holds them
    plain = rescore(model, tokenizer, "hola", "buenos días")
    pack_linears(model)
    packed = rescore(model, tokenizer, "hola", "buenos días")
    numbers = [token.log_prob for token in plain.tokens]
    assert [token.log_prob for token in packed.tokens] == pytest.approx(numbers, abs=1e-3)


def test_the_score_gives_the_probabilities_of_a_markov_chain() -> None:
    model = MarkovModel.from_table(8, {BOS: {4: 0.25, 5: 0.25, 6: 0.5}, 5: {5: 0.5, EOS: 0.5}})
    first, second, end = rescore_ids(model, (4, EOS), (5, 5, EOS))
    assert first.log_prob == pytest.approx(math.log(0.25))
    assert (first.rank, first.entropy) == (2, pytest.approx(1.5 * math.log(2)))  # 4 is as likely, and first
    assert first.alternative is not None
    assert (first.alternative.token_id, first.alternative.token) == (6, "6")
    assert (second.rank, end.rank) == (1, 0)  # the end token is as likely, and has the lower id
    assert second.alternative is not None
    assert second.alternative.token_id == EOS


def test_a_certain_token_has_no_alternative_and_an_impossible_one_no_probability() -> None:
    model = MarkovModel.from_table(8, {BOS: {6: 1.0}})
    (certain, end) = rescore_ids(model, (4, EOS), (6, EOS))
    assert (certain.log_prob, certain.rank, certain.entropy, certain.alternative) == (0.0, 0, 0.0, None)
    assert end.log_prob == 0.0
    (impossible,) = rescore_ids(model, (4, EOS), (EOS,))
    assert impossible.log_prob == -math.inf
    assert impossible.rank == 1 + EOS  # behind the one that is possible, and the impossible of lower id
    assert impossible.alternative is not None
    assert impossible.alternative.token_id == 6
    assert PAD == 0  # the lowest id of a tie


@pytest.mark.parametrize("log_prob", [-math.inf, -1e6])
def test_the_perplexity_of_a_nearly_impossible_text_is_infinite(
    reversal: Checkpoint, log_prob: float
) -> None:
    tokens = rescore(reversal.model, reversal.tokenizer, "abc", "cba").tokens
    assert ScoredText("cba", tokens, log_prob, log_prob).perplexity == math.inf


@pytest.mark.parametrize(
    ("ids", "refusal"),
    [((), ("no_token_to_score",)), ((4, 8), ("no_such_token", 8, "7")), ((-1,), ("no_such_token", -1))],
)
def test_ids_that_cannot_be_scored_are_refused(ids: tuple[int, ...], refusal: Refusal) -> None:
    with refused(DecodingError, *refusal):
        rescore_ids(MarkovModel.random(4, seed=0), (4, EOS), ids)


def test_a_text_beyond_the_positions_of_a_model_is_refused_with_their_number(tokenizer: Tokenizer) -> None:
    config = TransformerConfig(
        d_model=8, num_heads=2, d_ff=8, num_layers=1, num_decoder_layers=1, max_positions=6
    )
    model = build_model(config, tokenizer.vocab_size, Tokenizer.pad_id)
    assert len(rescore(model, tokenizer, "hola", "amigo").tokens) == 6
    with refused(DecodingError, "text_to_score_too_long", "7", 6):
        rescore(model, tokenizer, "hola", "amigos")
