"""Tokens that no row may take. A ban overwrites their numbers in place and restores them: copies are slow.

Imports torch only when a search begins.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from models.decoding.limits import DecodingError
from models.decoding.search.beam import NEG_INF
from models.decoding.search.processors import LogitsProcessor

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch
    from torch import Tensor


class TokenBan(ABC):
    """A ban of the same tokens in every row."""

    @abstractmethod
    def forbidden(self, length: int) -> tuple[int, ...]:
        """The ids that may not follow `length` generated tokens."""


Constraint: TypeAlias = LogitsProcessor | TokenBan


@dataclass(frozen=True)
class MinLength(TokenBan):
    """A ban of the end token before `length` tokens are generated, the end token not counted."""

    length: int
    eos_id: int

    def forbidden(self, length: int) -> tuple[int, ...]:
        return (self.eos_id,) if length < self.length else ()


@dataclass(frozen=True)
class BannedTokens(TokenBan):
    """A ban of tokens at every step. The end token cannot be banned, since no output could end."""

    token_ids: tuple[int, ...]
    eos_id: int

    def __post_init__(self) -> None:
        if self.eos_id in self.token_ids:
            raise DecodingError(
                "end_cannot_be_banned",
                "The end token cannot be banned. Use a minimum length to keep outputs long.",
            )

    def forbidden(self, length: int) -> tuple[int, ...]:
        return self.token_ids


class Bans:
    """The bans among the constraints of a search, applied to distributions in place."""

    def __init__(self, constraints: Sequence[Constraint], device: torch.device) -> None:
        self._bans = [constraint for constraint in constraints if isinstance(constraint, TokenBan)]
        self._device = device
        self._ids: dict[tuple[int, ...], Tensor] = {}

    def apply(self, log_probs: Tensor, length: int) -> AppliedBan:
        """Set the tokens that may not follow `length` tokens to -inf, in log_probs (B, K, V) itself."""
        import torch  # loaded only when a search begins

        tokens = tuple(sorted({token for ban in self._bans for token in ban.forbidden(length)}))
        if not tokens:
            return NO_BAN
        if tokens not in self._ids:
            self._ids[tokens] = torch.tensor(tokens, dtype=torch.int64, device=self._device)
        ids = self._ids[tokens]
        overwritten = log_probs.index_select(2, ids)
        log_probs.index_fill_(2, ids, NEG_INF)
        return AppliedBan(ids, overwritten)


@dataclass(frozen=True)
class AppliedBan:
    """The numbers that a ban has overwritten with -inf."""

    ids: Tensor | None = None  # (N,) int64; None: nothing
    log_probs: Tensor | None = None  # (B, K, N), the model's own

    def restore(self, log_probs: Tensor) -> None:
        """Restore the model's own numbers, in log_probs (B, K, V) itself."""
        if self.ids is not None and self.log_probs is not None:
            log_probs.index_copy_(2, self.ids, self.log_probs)

    def applied_to(self, log_probs: Tensor) -> Tensor:
        """Return a copy of log_probs (..., V) with -inf for the banned tokens; itself if there are none."""
        return log_probs if self.ids is None else log_probs.index_fill(-1, self.ids, NEG_INF)

    def mask(self, log_probs: Tensor, ids: Tensor) -> Tensor:
        """Return the log-probabilities of some ids (..., N), with -inf for those that are banned."""
        import torch  # loaded only when a search begins

        return log_probs if self.ids is None else log_probs.masked_fill(torch.isin(ids, self.ids), NEG_INF)

    def all_below(self, best: tuple[Tensor, Tensor] | None) -> bool:
        """Whether all banned tokens are less probable than the best tokens of their row.

        best: `Candidates.row_top`; without it the answer is False, unless nothing is banned.
        """
        if self.log_probs is None:
            return True
        return best is not None and bool((self.log_probs.amax(dim=2) < best[0][..., -1]).all())


NO_BAN = AppliedBan()
