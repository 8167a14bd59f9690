"""Token ids as padded tensors with masks; the decoder's input is its target shifted by one token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import torch
from torch import Tensor

AnyBatch = TypeVar("AnyBatch", bound="Batch")


@dataclass(frozen=True)
class Batch:
    """Source and target of several pairs, padded on the right."""

    src: Tensor  # (B, S) int64
    src_mask: Tensor  # (B, S) bool, True = a real token
    tgt_in: Tensor  # (B, T) int64, starts with the start token
    tgt_out: Tensor  # (B, T) int64, ends with the end token
    tgt_mask: Tensor  # (B, T) bool, True = a real token of tgt_out

    @classmethod
    def from_ids(
        cls, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]], *, bos_id: int, pad_id: int
    ) -> Batch:
        """Build a batch from ids that end with the end token. Raises ValueError if the counts differ."""
        if len(sources) != len(targets):
            raise ValueError(f"sources and targets must be pairs: got {len(sources)} and {len(targets)}")
        src, src_mask = pad(sources, pad_id)
        tgt_out, tgt_mask = pad(targets, pad_id)
        tgt_in, _ = pad([(bos_id, *target[:-1]) for target in targets], pad_id)
        return cls(src, src_mask, tgt_in, tgt_out, tgt_mask)

    def to(self: AnyBatch, device: torch.device) -> AnyBatch:
        """The same batch on another device."""
        return type(self)(*(tensor.to(device, non_blocking=True) for tensor in vars(self).values()))

    def pin_memory(self: AnyBatch) -> AnyBatch:
        """The same batch in page-locked memory, from where it travels while the device computes."""
        return type(self)(*(tensor.pin_memory() for tensor in vars(self).values()))


class FixedBatch(Batch):
    """A batch of one of a few shapes, for steps that a device captures.

    The host must not read its tensors: no lengths, no choice by a mask. Rows that fill it up have one source
    token, since a softmax over none would be no number, and no target token, so that they do not count.
    """

    def fill(self, other: FixedBatch) -> None:
        """Replace the values of every tensor in place by those of another batch of the same shape."""
        for tensor, values in zip(vars(self).values(), vars(other).values(), strict=True):
            tensor.copy_(values, non_blocking=True)


def pad(sequences: Sequence[Sequence[int]], pad_id: int) -> tuple[Tensor, Tensor]:
    """Ids (B, longest) int64 and their mask (B, longest) bool. Raises ValueError on an empty sequence."""
    if not sequences or not all(len(sequence) for sequence in sequences):
        raise ValueError("every sequence needs at least one token; an empty text still has its end token")
    lengths = [len(sequence) for sequence in sequences]
    longest = max(lengths)
    # One tensor from one list: a tensor per row costs nine times as much.
    rows = [[*sequence, *[pad_id] * (longest - len(sequence))] for sequence in sequences]
    ids = torch.tensor(rows, dtype=torch.int64)
    mask = torch.arange(longest) < torch.tensor(lengths).unsqueeze(1)
    return ids, mask
