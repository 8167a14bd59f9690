"""Pure functions on log-probabilities: constraints and truncations.

Constraints change the numbers that a search ranks by; truncations change only what sampling draws from. The
trace keeps the model's own numbers. Imports no torch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from models.decoding.search.beam import NEG_INF, Beam

if TYPE_CHECKING:
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
