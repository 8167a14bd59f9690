"""Pure functions on log-probabilities: constraints and truncations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from torch import Tensor

from models.decoding.beam import NEVER, Beam


class LogitsProcessor(Protocol):
    """Changes what the strategy sees of the model's distribution."""

    def __call__(self, log_probs: Tensor, beam: Beam) -> Tensor:
        """log_probs (B, K, V) -> (B, K, V)."""


@dataclass(frozen=True)
class MinLength:
    """Forbids the end token before `length` tokens are generated, the end token not counted."""

    length: int
    eos_id: int

    def __call__(self, log_probs: Tensor, beam: Beam) -> Tensor:
        """See `LogitsProcessor`."""
        if beam.length >= self.length:
            return log_probs
        forbidden = log_probs.clone()
        forbidden[..., self.eos_id] = NEVER
        return forbidden


def top_k_only(log_probs: Tensor, k: int) -> Tensor:
    """-inf for all but the k highest; k = 0 keeps all. (..., V) -> (..., V)."""
    if k == 0 or k >= log_probs.shape[-1]:
        return log_probs
    lowest_kept = log_probs.topk(k, dim=-1).values[..., -1:]
    return log_probs.masked_fill(log_probs < lowest_kept, NEVER)


def nucleus(log_probs: Tensor, p: float) -> Tensor:
    """-inf outside the smallest set of tokens whose probability reaches p. (..., V) -> (..., V)."""
    if p >= 1:
        return log_probs
    ordered, indices = log_probs.sort(dim=-1, descending=True, stable=True)
    probs = ordered.softmax(dim=-1)
    # A token stays while the ones before it have not reached p: so at least one does.
    outside = probs.cumsum(dim=-1) - probs >= p
    return log_probs.masked_fill(outside.scatter(-1, indices, outside), NEVER)
