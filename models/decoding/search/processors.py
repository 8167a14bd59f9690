"""Pure functions on log-probabilities: constraints and truncations.

A search ranks by what they return; the trace keeps the model's own numbers beside it. Loads no torch.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from models.decoding.limits import DecodingError
from models.decoding.search.beam import NEVER, Beam

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch
    from torch import Tensor

MAX_PENALTY = 10.0


class LogitsProcessor(Protocol):
    """Changes what the strategy sees of the model's distribution."""

    def __call__(self, log_probs: Tensor, beam: Beam) -> Tensor:
        """log_probs (B, K, V) -> (B, K, V)."""


class TokenBan(LogitsProcessor):
    """Forbids the same tokens to every row: a search does so in place, where others copy the distribution."""

    @abstractmethod
    def forbidden(self, length: int) -> tuple[int, ...]:
        """The ids that may not follow `length` generated tokens."""

    def __call__(self, log_probs: Tensor, beam: Beam) -> Tensor:
        """See `LogitsProcessor`."""
        import torch  # not before a search begins

        ids = torch.tensor(self.forbidden(beam.length), dtype=torch.int64, device=log_probs.device)
        return log_probs.index_fill(2, ids, NEVER)


@dataclass(frozen=True)
class MinLength(TokenBan):
    """Forbids the end token before `length` tokens are generated, the end token not counted."""

    length: int
    eos_id: int

    def forbidden(self, length: int) -> tuple[int, ...]:
        """See `TokenBan`."""
        return (self.eos_id,) if length < self.length else ()


@dataclass(frozen=True)
class NoRepeatNgram:
    """Forbids a token that would complete an n-gram which the row holds already (Paulus et al. 2017)."""

    size: int

    def __post_init__(self) -> None:
        if self.size < 1:
            raise ValueError(f"no_repeat_ngram_size must be at least 1; got {self.size}")

    def __call__(self, log_probs: Tensor, beam: Beam) -> Tensor:
        """See `LogitsProcessor`."""
        if beam.length < self.size:
            return log_probs
        ngrams = beam.tokens.unfold(2, self.size, 1)  # (B, K, T - n + 1, n)
        latest = beam.tokens[:, :, beam.length - self.size + 1 :].unsqueeze(2)  # (B, K, 1, n - 1)
        repeats = (ngrams[..., :-1] == latest).all(dim=-1)
        # Counted, not assigned: one token may end several n-grams, of which only some match.
        counts = log_probs.new_zeros(log_probs.shape).scatter_add(
            2, ngrams[..., -1], repeats.to(log_probs.dtype)
        )
        return log_probs.masked_fill(counts > 0, NEVER)


@dataclass(frozen=True)
class RepetitionPenalty:
    """Multiplies the log-probability of tokens that the row holds already (Keskar et al. 2019, section 4.1).

    Above 1 discourages repetition. The running order is penalised; the score stays the model's own.
    """

    penalty: float

    def __post_init__(self) -> None:
        if not 1 / MAX_PENALTY <= self.penalty <= MAX_PENALTY:
            allowed = f"between {1 / MAX_PENALTY:g} and {MAX_PENALTY:g}"
            raise ValueError(f"repetition_penalty must be {allowed}; got {self.penalty}")

    def __call__(self, log_probs: Tensor, beam: Beam) -> Tensor:
        """See `LogitsProcessor`."""
        penalised = log_probs.gather(2, beam.tokens) * self.penalty
        return log_probs.scatter(2, beam.tokens, penalised)


@dataclass(frozen=True)
class BannedTokens(TokenBan):
    """Forbids tokens everywhere. The end token may not be among them: nothing would ever end."""

    token_ids: tuple[int, ...]
    eos_id: int

    def __post_init__(self) -> None:
        if self.eos_id in self.token_ids:
            raise DecodingError(
                "end_cannot_be_banned",
                "The end token cannot be banned. Use a minimum length to keep outputs long.",
            )

    def forbidden(self, length: int) -> tuple[int, ...]:
        """See `TokenBan`."""
        return self.token_ids


class Bans:
    """All that the bans among some processors forbid, put into distributions in place and taken out again."""

    def __init__(self, processors: Sequence[LogitsProcessor], device: torch.device) -> None:
        self.others = [each for each in processors if not isinstance(each, TokenBan)]
        self._bans = [each for each in processors if isinstance(each, TokenBan)]
        self._device = device
        self._ids: dict[tuple[int, ...], Tensor] = {}

    def put(self, log_probs: Tensor, length: int) -> Forbidden:
        """-inf for what may not follow `length` tokens, in log_probs (B, K, V) itself."""
        import torch  # not before a search begins

        tokens = tuple(sorted({token for ban in self._bans for token in ban.forbidden(length)}))
        if not tokens:
            return NOTHING
        if tokens not in self._ids:
            self._ids[tokens] = torch.tensor(tokens, dtype=torch.int64, device=self._device)
        ids = self._ids[tokens]
        own = log_probs.index_select(2, ids)
        log_probs.index_fill_(2, ids, NEVER)
        return Forbidden(ids, own)


@dataclass(frozen=True)
class Forbidden:
    """What `Bans` took out of distributions."""

    ids: Tensor | None = None  # (N,) int64; None: nothing
    log_probs: Tensor | None = None  # (B, K, N), the model's own

    def put_back(self, log_probs: Tensor) -> None:
        """The model's own numbers again, in log_probs (B, K, V) itself."""
        if self.ids is not None and self.log_probs is not None:
            log_probs.index_copy_(2, self.ids, self.log_probs)

    def below(self, best: Tensor | None) -> bool:
        """True if all of it is less probable than the best of each row (B, K, N), or if it is nothing."""
        if self.log_probs is None:
            return True
        if best is None:  # not known
            return False
        return bool((self.log_probs.amax(dim=2) < best[..., -1]).all())


NOTHING = Forbidden()


def forced_only(log_probs: Tensor, token: int) -> Tensor:
    """-inf for all but one token, which keeps the model's log-probability. (..., V) -> (..., V)."""
    forced = log_probs.new_full(log_probs.shape, NEVER)
    forced[..., token] = log_probs[..., token]
    return forced


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


def min_p_only(log_probs: Tensor, p: float) -> Tensor:
    """-inf below p times the highest probability; p = 0 keeps all. (..., V) -> (..., V)."""
    if p == 0:
        return log_probs
    probs = log_probs.softmax(dim=-1)
    return log_probs.masked_fill(probs < p * probs.amax(dim=-1, keepdim=True), NEVER)
