"""A budget of memory and time: large work is done in parts, with the same results, and lets others run."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from models import budget
from models.budget import PASS_BYTES, letting_others_run, rows_within
from models.decoding.options import DecodingOptions
from models.decoding.outputs import outputs
from models.decoding.search.parallel import footprint, one_at_a_time
from models.decoding.strategies import description_of, names, strategy_class
from models.decoding.strategies.exhaustive import ExhaustiveSearch
from models.evaluation.text_scores import score_texts
from models.inspection.methods import Attribution, attribute
from models.inspection.question import ExplainedPrediction, Question
from models.networks.architectures import build_model
from models.networks.base import EmbeddingModel
from models.networks.captioner.config import CaptionerConfig
from models.networks.recurrent.config import RecurrentConfig
from models.networks.transformer.config import TransformerConfig
from models.registry.checkpoint import Checkpoint
from models.registry.registry import Registry
from tests.fakes.tiny_networks import BOS, PAD, VOCAB_SIZE

ROOT = Path(__file__).parents[2]
TEXTS = ["abc", "hello", "unrolled", "zyx", "a", "beam search", "attention", "qwerty", "letters", "one"]
# The sizes of shipped networks, so that other memory of a pass is small in comparison.
LARGE = {
    "additive": RecurrentConfig(d_embed=64, d_model=128, d_attention=64),
    "dot": RecurrentConfig(cell="lstm", d_embed=64, d_model=128, attention="dot"),
    "none": RecurrentConfig(cell="rnn", d_embed=64, d_model=128, attention="none"),
    "transformer": TransformerConfig(d_model=64, num_heads=4, d_ff=256, num_layers=2, num_decoder_layers=2),
    "captioner": CaptionerConfig(picture_size=32, cells=8),
}


@pytest.fixture(scope="module")
def letters() -> Checkpoint:
    return Registry(ROOT / "checkpoints").load("reverse-gru", torch.device("cpu"))


def test_a_pass_has_as_many_rows_as_fit() -> None:
    assert rows_within(PASS_BYTES // 8, 100) == 8
    assert rows_within(PASS_BYTES // 8, 100, num_passes=2) == 4
    assert rows_within(PASS_BYTES // 8, 5) == 5
    assert rows_within(PASS_BYTES * 8, 100) == rows_within(0, 1) == 1  # there is no less than one


# A draw depends on the rows beside it.
@pytest.mark.slow
@pytest.mark.parametrize(
    "strategy",
    [
        pytest.param(name, marks=[pytest.mark.full] * (name == "exact"))  # takes seconds
        for name in names()
        if "seed" not in description_of(name).settings
    ],
)
def test_texts_in_small_parts_have_the_same_outputs(
    letters: Checkpoint, strategy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = options_of(strategy, 8)
    decode = partial(outputs, letters.model, letters.tokenizer, TEXTS, options)
    whole = decode()
    monkeypatch.setattr(budget, "PASS_BYTES", 1)
    parts = decode()
    assert [part.tokens for part in parts] == [item.tokens for item in whole]
    assert [part.score for part in parts] == pytest.approx([item.score for item in whole], abs=1e-4)


def test_given_texts_in_small_parts_are_scored_the_same(
    letters: Checkpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = letters.tokenizer.encode_ids(TEXTS)
    whole = score_texts(letters.model, ids, ids, letters.tokenizer)
    monkeypatch.setattr(budget, "PASS_BYTES", 1)
    for part, same in zip(score_texts(letters.model, ids, ids, letters.tokenizer), whole, strict=True):
        assert part.log_probs == pytest.approx(same.log_probs, abs=1e-4)
        assert (len(part.confidences), part.hits) == (len(same.confidences), same.hits)


@pytest.mark.slow
def test_an_attribution_in_small_parts_gives_the_same_scores(
    letters: Checkpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    (source,) = letters.tokenizer.encode_ids(["unrolled"])
    question = Question(tuple(source), (letters.tokenizer.bos_id, *source[:4]), source[4])
    value, whole = attribute(letters.model, question)
    monkeypatch.setattr(budget, "PASS_BYTES", 1)
    same_value, parts = attribute(letters.model, question)
    assert same_value == pytest.approx(value, abs=1e-5)
    for name, part in parts.items():
        assert numbers(part) == pytest.approx(numbers(whole[name]), abs=1e-4)


def numbers(attribution: Attribution) -> list[float]:
    return [*attribution.source, *(attribution.prefix or ())]


@pytest.mark.slow
@pytest.mark.parametrize("strategy", names())
def test_a_batch_yields_to_others_at_each_step(letters: Checkpoint, strategy: str) -> None:
    options = options_of(strategy, 12)
    pauses = paused(lambda: outputs(letters.model, letters.tokenizer, TEXTS[:2], options))
    assert pauses >= options.max_length


@pytest.mark.parametrize("name", LARGE)
def test_every_network_estimates_the_memory_of_a_pass(name: str) -> None:
    """Most of the memory of a pass is held by autograd."""
    torch.manual_seed(0)
    model = build_model(LARGE[name], VOCAB_SIZE, PAD).eval()
    assert isinstance(model, EmbeddingModel)
    model.requires_grad_(False)
    size = LARGE[name].picture_size ** 2 if isinstance(LARGE[name], CaptionerConfig) else 60
    prediction = ExplainedPrediction(
        model, Question(tuple(random.Random(0).choices(range(4, 12), k=size)), (BOS,) * 40, 5)
    )
    rows = 3
    saved: dict[int, int] = {}

    def note(tensor: Tensor) -> Tensor:
        saved[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
        return tensor

    weights = {parameter.untyped_storage().data_ptr() for parameter in model.parameters()}
    source, prefix = (vector.expand(rows, -1, -1).clone().requires_grad_() for vector in prediction.vectors)
    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        prediction.value_of_vectors(source, prefix)
    saved_bytes = sum(size for pointer, size in saved.items() if pointer not in weights)
    assert 0 < saved_bytes / rows <= model.pass_bytes(size, 40)


@pytest.mark.parametrize("name", LARGE)
def test_the_footprint_of_a_search_grows_with_its_length_and_its_rows(name: str) -> None:
    torch.manual_seed(0)
    config = LARGE[name]
    model = build_model(config, VOCAB_SIZE, PAD).eval()
    size = config.picture_size**2 if isinstance(config, CaptionerConfig) else 50
    source = torch.full((2, size), 5)
    estimate = footprint(model, model.encode(source, torch.ones_like(source, dtype=torch.bool)), BOS, 10)
    assert estimate.fixed > 4 * VOCAB_SIZE
    assert estimate.row(size) > estimate.row(1)
    assert estimate.sentences(size, 16, 1000, 1) <= estimate.sentences(size, 4, 1000, 1)


def options_of(strategy: str, length: int) -> DecodingOptions:
    """Options for outputs of `length` tokens, or of 2 where a search lists all outputs."""
    length = 2 if strategy_class(strategy) is ExhaustiveSearch else length
    return DecodingOptions(strategy=strategy, max_length=length, min_length=length - 1, num_samples=4)


def paused(work: Callable[[], Any]) -> int:
    """How often work lets other threads run."""
    count = 0

    def let_others_run() -> None:
        nonlocal count
        count += 1

    with one_at_a_time(), letting_others_run(let_others_run):
        work()
    return count
