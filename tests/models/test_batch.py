"""Padding, masks and the shift by one, by hand."""

from __future__ import annotations

import pytest
import torch

from models.batch import Batch, pad

PAD, BOS, EOS = 0, 2, 3


def test_ids_are_padded_on_the_right() -> None:
    ids, mask = pad([(5, 6, 3), (7,)], pad_id=9)
    assert ids.tolist() == [[5, 6, 3], [7, 9, 9]]
    assert mask.tolist() == [[True, True, True], [True, False, False]]
    assert (ids.dtype, mask.dtype) == (torch.int64, torch.bool)


def test_a_token_that_is_the_padding_id_is_still_a_token() -> None:
    _, mask = pad([(0, 4), (4,)], pad_id=0)
    assert mask.tolist() == [[True, True], [True, False]]


@pytest.mark.parametrize("sequences", [[], [()], [(3,), ()]])
def test_an_empty_sequence_is_refused(sequences: list[tuple[int, ...]]) -> None:
    with pytest.raises(ValueError, match="sequence"):
        pad(sequences, PAD)


def test_the_target_is_shifted_by_one() -> None:
    batch = Batch.from_ids([(5, EOS), (EOS,)], [(7, 8, EOS), (EOS,)], bos_id=BOS, pad_id=PAD)
    assert batch.src.tolist() == [[5, EOS], [EOS, PAD]]
    assert batch.src_mask.tolist() == [[True, True], [True, False]]
    assert batch.tgt_in.tolist() == [[BOS, 7, 8], [BOS, PAD, PAD]]
    assert batch.tgt_out.tolist() == [[7, 8, EOS], [EOS, PAD, PAD]]
    assert batch.tgt_mask.tolist() == [[True, True, True], [True, False, False]]


def test_only_real_target_tokens_count() -> None:
    batch = Batch.from_ids([(5, 6, 7, EOS)] * 2, [(7, EOS), (EOS,)], bos_id=BOS, pad_id=PAD)
    assert batch.tgt_mask.sum() == 3


def test_unequal_numbers_of_sources_and_targets_are_refused() -> None:
    with pytest.raises(ValueError, match=r"sources.*targets.*2.*1"):
        Batch.from_ids([(EOS,), (EOS,)], [(EOS,)], bos_id=BOS, pad_id=PAD)


def test_a_batch_moves_as_a_whole(device: str) -> None:
    moved = Batch.from_ids([(5, EOS)], [(7, EOS)], bos_id=BOS, pad_id=PAD).to(torch.device(device))
    assert {tensor.device.type for tensor in vars(moved).values()} == {torch.device(device).type}
    assert moved.tgt_in.tolist() == [[BOS, 7]]
