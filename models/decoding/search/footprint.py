"""The memory of a search, measured on one step of its network, and how many sentences fit into the budget."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import torch
from torch import Tensor

from models.budget import rows_within
from models.networks.base import EncoderOutput, Seq2SeqModel

LOGITS_COPIES = 4  # copies of a row's logits that exist at once during a step
STATE_COPIES = 2  # copies of a row's state, before and after a step
STEP_COPIES = 2  # copies of what each step adds to the state, before and after a step


@dataclass(frozen=True)
class Footprint:
    """The approximate memory of a row of a search, in bytes."""

    fixed: float  # bytes of its logits and of what its steps add
    per_token: float  # bytes of each token of its source

    def row(self, source: int) -> int:
        """Return the bytes of a row whose source has this number of tokens."""
        return math.ceil(self.fixed + source * self.per_token)

    def sentences(self, source: int, rows: int, max_sentences: int, num_batches: int) -> int:
        """Return how many sentences, at most `max_sentences`, may be searched together.

        source: tokens of the longest source. rows: rows of each sentence. num_batches: batches that are
        searched at the same time.
        """
        return rows_within(rows * self.row(source), max_sentences, num_batches)


@torch.inference_mode()
def footprint(model: Seq2SeqModel, encoded: EncoderOutput, bos_id: int, max_length: int) -> Footprint:
    """Measure one step of a network on encoded sources.

    encoded: at least two rows, since a single one may be stored in another way; bos_id: the id that the
    first step reads; max_length: the most steps that a search may take.
    """
    rows, length = encoded.mask.shape
    output = model.step(
        torch.full((rows,), bos_id, device=encoded.memory.device), model.initial_state(encoded)
    )
    newest_bytes = _bytes(output.state.newest()) / rows
    row_bytes = (_bytes(output.state) + _bytes(encoded)) / rows
    logits = LOGITS_COPIES * 4 * model.vocab_size
    return Footprint(logits + STEP_COPIES * max_length * newest_bytes, STATE_COPIES * row_bytes / length)


def _bytes(value: Any) -> int:
    """Memory of all tensors within dataclasses, lists and tuples."""
    if isinstance(value, Tensor):
        return value.numel() * value.element_size()
    if is_dataclass(value):
        return sum(_bytes(getattr(value, field.name)) for field in fields(value))
    return sum(map(_bytes, value)) if isinstance(value, Sequence) and not isinstance(value, str) else 0
