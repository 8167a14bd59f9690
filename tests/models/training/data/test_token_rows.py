"""Rows of ids end to end: chosen and padded as a batch needs them."""

from __future__ import annotations

import pytest
import torch

from models.batch import pad
from models.training.data.training_data import TokenRows

ROWS = [(5, 6, 3), (3,), (9, 8, 7, 3), (0, 3)]
SEQUENCES = TokenRows.from_rows(ROWS, filler=(0,), pad_id=0)


@pytest.mark.parametrize("numbers", [[0], [1, 0], [2, 3, 2], [3, 1]])
def test_rows_are_padded_like_lists(numbers: list[int]) -> None:
    expected = pad([ROWS[i] for i in numbers], pad_id=0)
    ids, mask = SEQUENCES.batch(numbers, len(numbers), expected[0].shape[1])
    assert (ids.dtype, mask.dtype) == (torch.int64, torch.bool)
    assert torch.equal(ids, expected[0])
    assert torch.equal(mask, expected[1])


def test_a_batch_is_padded_to_its_size_with_filler_rows() -> None:
    ids, mask = SEQUENCES.batch([1], 3, 5)
    assert ids.tolist() == [[3, 0, 0, 0, 0], [0] * 5, [0] * 5]
    assert mask.tolist() == [[True, *[False] * 4]] * 3
    empty = TokenRows.from_rows(ROWS, filler=(), pad_id=0)
    assert empty.batch([1], 2, 2)[1].tolist() == [[True, False], [False, False]]


def test_padding_has_its_own_id() -> None:
    ids, mask = TokenRows.from_rows(ROWS, filler=(), pad_id=7).batch([3, 0], 2, 4)
    assert ids.tolist() == [[0, 3, 7, 7], [5, 6, 3, 7]]
    assert mask.tolist() == [[True, True, False, False], [True, True, True, False]]


def test_one_long_row_does_not_pad_the_others_in_memory() -> None:
    rows = [[4, 3]] * 1000
    plain = TokenRows.from_rows(rows, filler=(0,), pad_id=0)
    with_long = TokenRows.from_rows([*rows, [4] * 500], filler=(0,), pad_id=0)
    assert with_long.num_bytes - plain.num_bytes < 10 * 500


def test_rows_move_as_a_whole(device: str) -> None:
    moved = SEQUENCES.to(torch.device(device))
    ids, mask = moved.batch([2, 0], 3, 4)
    assert {ids.device.type, mask.device.type} == {torch.device(device).type}
    assert ids.tolist() == SEQUENCES.batch([2, 0], 3, 4)[0].tolist()
