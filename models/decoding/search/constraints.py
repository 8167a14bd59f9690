"""Functions on log-probabilities: constraints and truncations.

Constraints change the numbers that a search ranks by; truncations change only what sampling draws from. The
trace keeps the model's own numbers. Bans overwrite numbers in place and restore them, since copies are slow.
Imports torch only when a search begins.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

from models.decoding.limits import DecodingError
from models.decoding.search.beam import NEG_INF, Beam

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch
    from torch import Tensor

ROUNDING = 1e-6  # error of a sum of probabilities in floating point


class LogitsProcessor(Protocol):
    """A function that changes the distribution that the strategy sees."""

    def __call__(self, log_probs: Tensor, beam: Beam) -> Tensor:
        """Return the changed log-probabilities. (B, K, V) -> (B, K, V)."""


@dataclass(frozen=True)
class NoRepeatNgram:
    """A ban of tokens that would repeat an n-gram of the row (Paulus et al. 2017)."""

    size: int

    def __call__(self, log_probs: Tensor, beam: Beam) -> Tensor:
        if beam.length < self.size:
            return log_probs
        ngrams = beam.tokens.unfold(2, self.size, 1)  # (B, K, T - n + 1, n)
        latest = beam.tokens[:, :, beam.length - self.size + 1 :].unsqueeze(2)  # (B, K, 1, n - 1)
        repeats = (ngrams[..., :-1] == latest).all(dim=-1)
        # Counts are added, not assigned: one token may end several n-grams, and only some of them match.
        counts = log_probs.new_zeros(log_probs.shape).scatter_add(
            2, ngrams[..., -1], repeats.to(log_probs.dtype)
        )
        return log_probs.masked_fill(counts > 0, NEG_INF)


@dataclass(frozen=True)
class RepetitionPenalty:
    """A factor on the log-probability of tokens that the row holds already (Keskar et al. 2019).

    Above 1 discourages repetition. The rank scores are penalised; the score stays the model's own. The
    transformers library does the same in a beam, but changes logits in greedy search and sampling.
    """

    penalty: float

    def __call__(self, log_probs: Tensor, beam: Beam) -> Tensor:
        penalised = log_probs.gather(2, beam.tokens) * self.penalty
        return log_probs.scatter(2, beam.tokens, penalised)


def forced_only(log_probs: Tensor, token: int) -> Tensor:
    """Set all but one token to -inf. (..., V) -> (..., V)."""
    forced = log_probs.new_full(log_probs.shape, NEG_INF)
    forced[..., token] = log_probs[..., token]
    return forced


def top_k_only(log_probs: Tensor, k: int) -> Tensor:
    """Set all values below the k-th highest to -inf, so ties stay; k = 0 keeps all. (..., V) -> (..., V)."""
    if k == 0 or k >= log_probs.shape[-1]:
        return log_probs
    lowest_kept = log_probs.topk(k, dim=-1).values[..., -1:]
    return log_probs.masked_fill(log_probs < lowest_kept, NEG_INF)


def nucleus(log_probs: Tensor, p: float) -> Tensor:
    """Set all but the smallest set of tokens whose probability reaches p to -inf. (..., V) -> (..., V)."""
    if p >= 1:
        return log_probs
    sorted_log_probs, indices = log_probs.sort(dim=-1, descending=True, stable=True)
    probs = sorted_log_probs.double().softmax(dim=-1)
    # A token stays if the tokens before it have not reached p, so at least one stays.
    outside = probs.cumsum(dim=-1) - probs >= p - ROUNDING
    return log_probs.masked_fill(outside.scatter(-1, indices, outside), NEG_INF)


def min_p_only(log_probs: Tensor, p: float) -> Tensor:
    """Set all below p times the highest probability to -inf; p = 0 keeps all. (..., V) -> (..., V)."""
    if p == 0:
        return log_probs
    probs = log_probs.softmax(dim=-1)
    return log_probs.masked_fill(probs < (p - ROUNDING) * probs.amax(dim=-1, keepdim=True), NEG_INF)


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
