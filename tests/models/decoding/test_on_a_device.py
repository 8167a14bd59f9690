"""Decoding on an accelerator gives the results of the CPU, and leaves no tensor on the CPU."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
import torch

from models.decoding.decode import NO_INTERVENTION, decode
from models.decoding.interventions import Intervention
from models.decoding.options import DecodingOptions
from models.decoding.outputs import translate
from models.decoding.trace import AttentionOverride, DecodingTrace
from models.registry.checkpoint import Checkpoint
from models.registry.registry import Registry
from tests.models.decoding.strategies.test_laws import OPTIONS

pytestmark = pytest.mark.gpu
ROOT = Path(__file__).parents[3]
every_strategy = pytest.mark.parametrize(
    "options",
    # The vocabularies of these checkpoints are too large for exhaustive search.
    [options for options in OPTIONS if options.strategy != "exhaustive"],
    ids=lambda options: f"{options.strategy}-{options.utility}",
)
# One of each architecture, of the task whose outputs are shortest.
CHECKPOINTS = ("reverse-rnn", "reverse-lstm", "history-gru", "dates-transformer", "shapes-captioner")


@cache
def checkpoint(name: str, device: str) -> Checkpoint:
    return Registry(ROOT / "checkpoints").load(name, torch.device(device))


def traces(
    name: str, device: str, options: DecodingOptions, intervention: Intervention = NO_INTERVENTION
) -> list[DecodingTrace]:
    """The traces of the card's first example, on the CPU and on the device."""
    result = []
    for where in ("cpu", device):
        loaded = checkpoint(name, where)
        text = loaded.config.examples[0]
        result.append(decode(loaded.model, loaded.tokenizer, text, options, intervention=intervention))
    return result


def assert_same(expected: DecodingTrace, actual: DecodingTrace) -> None:
    assert expected.hypotheses
    assert [[node.token_id for node in step.nodes] for step in actual.steps] == [
        [node.token_id for node in step.nodes] for step in expected.steps
    ]
    for one, other in zip(actual.hypotheses, expected.hypotheses, strict=True):
        assert one.token_ids == other.token_ids
        assert one.log_prob == pytest.approx(other.log_prob, abs=1e-3)


@every_strategy
@pytest.mark.parametrize("name", CHECKPOINTS)
def test_every_strategy_finds_the_same_on_every_device(
    name: str, options: DecodingOptions, device: str
) -> None:
    longest = checkpoint(name, "cpu").config.max_length
    assert_same(*traces(name, device, replace(options, max_length=longest, seed=3)))


def test_exhaustive_search_finds_the_same_on_every_device(device: str) -> None:
    assert_same(*traces("reverse-rnn", device, DecodingOptions("exhaustive", beam_size=2, max_length=2)))


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_constraints_forced_tokens_and_replaced_attention_work_on_every_device(
    name: str, device: str
) -> None:
    loaded = checkpoint(name, "cpu")
    beam = DecodingOptions(beam_size=3, max_length=loaded.config.max_length)
    free = traces(name, device, beam)[0]
    banned = loaded.tokenizer.token(free.hypotheses[0].token_ids[1])
    constrained = replace(beam, min_length=4, no_repeat_ngram_size=2, repetition_penalty=1.1, banned=banned)
    even = (1 / len(free.source),) * len(free.source)
    overrides = (AttentionOverride(2, even),) if loaded.model.attention_shape else ()
    expected, result = traces(
        name, device, constrained, Intervention(free.hypotheses[-1].token_ids[:1], overrides)
    )
    assert least_gap(expected) > 1e-3, "rounding decides who ranks above whom: take another penalty"
    assert_same(expected, result)
    assert expected.hypotheses[0].token_ids != free.hypotheses[0].token_ids


def least_gap(trace: DecodingTrace) -> float:
    """The least difference, in nats, by which one candidate of a step ranks above the next."""
    gaps = [math.inf]
    for step in trace.steps:
        scores = [node.score if node.rank_score is None else node.rank_score for node in step.nodes]
        gaps.extend(above - below for above, below in pairwise(scores))
    return min(gaps)


@every_strategy
def test_many_texts_are_translated_the_same_on_every_device(options: DecodingOptions, device: str) -> None:
    texts = ("abc", "hello", "", "xyzzy", "unrolled")
    on_cpu, on_device = (
        translate(loaded.model, loaded.tokenizer, texts, replace(options, max_length=8, seed=5))
        for loaded in (checkpoint("reverse-gru", "cpu"), checkpoint("reverse-gru", device))
    )
    assert on_device == on_cpu
