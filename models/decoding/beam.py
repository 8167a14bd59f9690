"""What a search holds between two steps, and what a strategy proposes for the next one."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor

NEVER = float("-inf")


@dataclass(frozen=True)
class Beam:
    """The live rows of every active sentence; a row of log-probability -inf is empty."""

    tokens: Tensor  # (B, K, T) int64, generated so far
    log_probs: Tensor  # (B, K), cumulative

    @classmethod
    def start(cls, batch: int, num_starts: int, device: torch.device) -> Beam:
        """The empty prefix, `num_starts` times for each sentence."""
        tokens = torch.zeros(batch, num_starts, 0, dtype=torch.int64, device=device)
        return cls(tokens, torch.zeros(batch, num_starts, device=device))

    @property
    def length(self) -> int:
        """Tokens generated so far."""
        return self.tokens.shape[2]


@dataclass(frozen=True)
class Candidates:
    """The ranked expansions of a beam, best first; -inf in `cumulative` marks an unused place."""

    parents: Tensor  # (B, C) int64, row of the beam
    tokens: Tensor  # (B, C) int64
    log_probs: Tensor  # (B, C), the model's own, of the token alone
    cumulative: Tensor  # (B, C), of the whole sequence


@dataclass(frozen=True)
class Finished:
    """One sequence that ended; `step` and `rank` say which candidate it was."""

    tokens: tuple[int, ...]
    log_prob: float
    score: float
    ended: bool  # with an end token; False: cut off at the length limit
    step: int
    rank: int


@dataclass
class Pool:
    """The best finished sequences of one sentence, at most `size`, best score first."""

    size: int
    finished: list[Finished] = field(default_factory=list)

    @property
    def full(self) -> bool:
        """True if another sequence must displace one."""
        return len(self.finished) >= self.size

    @property
    def worst(self) -> float:
        """The lowest score held; -inf while there is room."""
        return self.finished[-1].score if self.full else NEVER

    def add(self, sequence: Finished) -> None:
        """Insert by score; of equal ones the earlier stays ahead, and the last beyond `size` goes."""
        self.finished.append(sequence)
        self.finished.sort(key=lambda held: -held.score)
        del self.finished[self.size :]


def ranked_top_k(values: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """The k highest of the last dimension, best first, ties to the lower index on every device.

    values (..., N) -> values and indices (..., min(k, N)). `torch.topk` alone leaves ties unspecified.
    """
    n = values.shape[-1]
    if k >= n:
        return values.sort(dim=-1, descending=True, stable=True)
    top, indices = values.topk(k + 1, dim=-1)
    # Almost never are two values equal; then the order of topk is the order.
    if not bool((top[..., 1:] == top[..., :-1]).any()):
        return top[..., :k], indices[..., :k]
    top, indices = values.sort(dim=-1, descending=True, stable=True)
    return top[..., :k], indices[..., :k]
