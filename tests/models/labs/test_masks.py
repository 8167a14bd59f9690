"""Masks and what a small network does under them, against what can be worked out by hand."""

from __future__ import annotations

import itertools
import math

import pytest
import torch

from models.labs.masks import (
    DECODER_MASK,
    ENCODER_MASK,
    MODEL_WIDTH,
    PREFIX_MASK,
    SEPARATOR_ID,
    STRING_LENGTH,
    TASK_LENGTH,
    as_letters,
    changed_word,
    mask,
    strings,
    train,
)
from models.networks.transformer.model import sinusoidal_positions

WORDS = [0, 1, 2, 0, 3]
MASKS = (ENCODER_MASK, DECODER_MASK, PREFIX_MASK)
POSITIONS = sinusoidal_positions(16, MODEL_WIDTH)
MIN_CHANGE = 1e-9


def mask_rows(kind: str, length: int = 4, prefix: int = 2) -> list[str]:
    return ["".join("x" if may else "." for may in row) for row in mask(kind, length, prefix).tolist()]


def test_each_mask_allows_its_positions() -> None:
    assert mask_rows(ENCODER_MASK) == ["xxxx"] * 4
    assert mask_rows(DECODER_MASK) == ["x...", "xx..", "xxx.", "xxxx"]
    assert mask_rows(PREFIX_MASK) == ["xx..", "xx..", "xxx.", "xxxx"]
    assert mask_rows(PREFIX_MASK, prefix=1) == mask_rows(DECODER_MASK)
    assert mask_rows(PREFIX_MASK, prefix=4) == mask_rows(ENCODER_MASK)


@pytest.mark.parametrize("positions", [POSITIONS, None])
@pytest.mark.parametrize("changed", range(5))
def test_a_later_word_changes_nothing_under_the_causal_mask(
    positions: torch.Tensor | None, changed: int
) -> None:
    result = changed_word(WORDS, DECODER_MASK, 0, positions, changed).changes
    assert max(result[:changed], default=0) == 0
    assert min(result[changed:]) > MIN_CHANGE


def test_a_changed_word_reaches_the_positions_that_the_mask_allows() -> None:
    assert min(changed_word(WORDS, ENCODER_MASK, 0, POSITIONS, 4).changes) > MIN_CHANGE
    inside = changed_word(WORDS, PREFIX_MASK, 3, POSITIONS, 2).changes
    assert min(inside) > MIN_CHANGE
    behind = changed_word(WORDS, PREFIX_MASK, 3, POSITIONS, 3).changes
    assert [change > MIN_CHANGE for change in behind] == [False, False, False, True, True]


def test_the_order_is_unknown_only_without_positions_and_mask() -> None:
    unknown = {
        (kind, positions is None)
        for kind, positions in itertools.product(MASKS, (POSITIONS, None))
        if changed_word(WORDS, kind, 2, positions, 0).reversal_difference < MIN_CHANGE
    }
    assert unknown == {(ENCODER_MASK, True)}


@pytest.mark.parametrize("kind", MASKS)
def test_weights_are_a_convex_combination_of_what_is_allowed(kind: str) -> None:
    result = changed_word(WORDS, kind, 2, POSITIONS, 0)
    for weights, allowed in zip(result.weights, result.allowed, strict=True):
        assert math.fsum(weights) == pytest.approx(1)
        assert all((weight > 0) == may for weight, may in zip(weights, allowed, strict=True))


def test_a_string_is_copied_after_the_separator() -> None:
    tokens = strings(3, torch.Generator().manual_seed(0))
    assert tokens.shape == (3, TASK_LENGTH + 1)
    assert torch.equal(tokens[:, :STRING_LENGTH], tokens[:, STRING_LENGTH + 1 :])
    assert (tokens[:, STRING_LENGTH] == SEPARATOR_ID).all()
    assert as_letters([0, 7, SEPARATOR_ID, 0]) == "ah|a"


@pytest.mark.slow
def test_the_causal_network_learns_the_copy_and_cannot_guess_the_string() -> None:
    *_, last = train(DECODER_MASK, POSITIONS, steps=200)
    final = last.result()
    assert last.share == 1
    assert len(final.string) == len(final.copy) == 200
    assert final.string[-1] > math.log(8) - 0.1
    assert final.copy[-1] < 0.1
    assert min(final.read, final.self_read) > 0.95 * final.tested


@pytest.mark.slow
def test_a_network_that_sees_the_next_token_reads_the_string() -> None:
    *_, last = train(ENCODER_MASK, POSITIONS, steps=120)
    assert last.result().string[-1] < math.log(8) / 2
