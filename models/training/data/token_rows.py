"""The token ids of a corpus as tensors, from which a device selects the rows of each batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

import torch
from torch import Tensor

from models.device import gains_from_pinned_memory


@dataclass(frozen=True)
class TokenRows:
    """Rows of ids, stored one after the other without padding.

    The last row, `filler`, does not belong to the corpus: it fills up batches.
    """

    ids: Tensor  # (all lengths together,) int32
    starts: Tensor  # (N + 1,) int64
    lengths: Tensor  # (N + 1,) int64
    pad_id: int

    @classmethod
    def from_rows(cls, rows: Sequence[Sequence[int]], *, filler: Sequence[int], pad_id: int) -> TokenRows:
        """Store rows of ids on the CPU."""
        lengths = [*map(len, rows), len(filler)]
        ids = torch.tensor([*chain.from_iterable(rows), *filler, pad_id], dtype=torch.int32)
        starts = torch.tensor([0, *accumulate(lengths[:-1])])
        return cls(ids, starts, torch.tensor(lengths), pad_id)

    @property
    def filler(self) -> int:
        """The index of the row that fills up batches."""
        return len(self.lengths) - 1

    @property
    def num_bytes(self) -> int:
        """The memory of all rows."""
        return self.ids.nbytes + self.starts.nbytes + self.lengths.nbytes

    def to(self, device: torch.device) -> TokenRows:
        """The same rows on another device."""
        return TokenRows(self.ids.to(device), self.starts.to(device), self.lengths.to(device), self.pad_id)

    def batch(self, rows: Sequence[int], count: int, width: int) -> tuple[Tensor, Tensor]:
        """Rows of at most `width` ids, filled up to `count` rows: ids (count, width) int64, mask bool."""
        numbers = torch.tensor([*rows, *[self.filler] * (count - len(rows))])
        device = self.ids.device
        if device != numbers.device:
            numbers = (numbers.pin_memory() if gains_from_pinned_memory(device) else numbers).to(
                device, non_blocking=True
            )
        places = torch.arange(width, device=device)
        mask = places < self.lengths.index_select(0, numbers).unsqueeze(1)
        starts = self.starts.index_select(0, numbers).unsqueeze(1)
        ids = self.ids.take((starts + places).clamp_(max=len(self.ids) - 1))
        return ids.long().masked_fill_(~mask, self.pad_id), mask
