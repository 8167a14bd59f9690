"""Decoding strategies: each says which expansions to consider and when to stop, nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Protocol

import torch
from torch import Tensor

from models.decoding.beam import Beam, Candidates, Pool, ranked_top_k
from models.decoding.processors import nucleus, top_k_only
from models.decoding.scoring import LengthNormalizer

MAX_ROWS = 128


class DecodingStrategy(Protocol):
    """What the search asks of a strategy."""

    @property
    def name(self) -> str:
        """As the trace calls it."""

    @property
    def width(self) -> int:
        """Live rows of a sentence, and finished sequences that are kept."""

    @property
    def num_starts(self) -> int:
        """Rows of a sentence at the first step."""

    @property
    def normalizer(self) -> LengthNormalizer:
        """Ranks finished sequences."""

    def expand(self, log_probs: Tensor, beam: Beam, rng: torch.Generator) -> Candidates:
        """The candidates of a step, ranked; log_probs (B, K, V) are the model's, processed."""

    def is_done(self, best_running: float, length: int, pool: Pool, max_length: int) -> bool:
        """True if no running sequence may still enter the pool; `length` tokens are generated."""


@dataclass(frozen=True)
class Greedy:
    """The most probable token at each step, ties to the lower id; the runner-up is recorded too."""

    normalizer: LengthNormalizer = field(default_factory=LengthNormalizer)

    name: ClassVar[str] = "greedy"
    width: ClassVar[int] = 1
    num_starts: ClassVar[int] = 1

    def expand(self, log_probs: Tensor, beam: Beam, rng: torch.Generator) -> Candidates:
        """See `DecodingStrategy.expand`."""
        return best_expansions(log_probs, beam, 2)

    def is_done(self, best_running: float, length: int, pool: Pool, max_length: int) -> bool:
        """The first end token that wins ends the search."""
        return pool.full


@dataclass(frozen=True)
class BeamSearch:
    """Beam search over cumulative log-probability, as Hugging Face's `generate` runs it.

    Of beam x vocabulary the 2 * beam_size best are considered; one that ends is finished only if it ranks
    among the first beam_size; the beam_size best that did not end go on. `early_stopping`: True stops when
    the pool is full; False when the best running score at its present length cannot beat the worst finished
    one; "never" grants it the length limit if alpha is positive.
    """

    beam_size: int = 4
    normalizer: LengthNormalizer = field(default_factory=LengthNormalizer)
    early_stopping: bool | str = False

    name: ClassVar[str] = "beam"
    num_starts: ClassVar[int] = 1

    def __post_init__(self) -> None:
        _check_rows("beam_size", self.beam_size)
        if self.early_stopping not in (True, False, "never"):
            raise ValueError(f'early_stopping must be True, False or "never"; got {self.early_stopping!r}')

    @property
    def width(self) -> int:
        """See `DecodingStrategy.width`."""
        return self.beam_size

    def expand(self, log_probs: Tensor, beam: Beam, rng: torch.Generator) -> Candidates:
        """See `DecodingStrategy.expand`."""
        return best_expansions(log_probs, beam, 2 * self.beam_size)

    def is_done(self, best_running: float, length: int, pool: Pool, max_length: int) -> bool:
        """See the class."""
        if not pool.full or self.early_stopping is True:
            return pool.full
        hopeful = self.early_stopping == "never" and self.normalizer.alpha > 0
        return self.normalizer(best_running, max_length if hopeful else length) <= pool.worst


@dataclass(frozen=True)
class Sampling:
    """Ancestral sampling of independent sequences, in Hugging Face's order: temperature, top-k, top-p.

    top-k: Fan et al. 2018, section 5.1; top-p (nucleus): Holtzman et al. 2020, section 3.1. 0 and 1 switch
    them off. The trace keeps the model's own log-probabilities, not the tempered ones.
    """

    num_samples: int = 1
    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    normalizer: LengthNormalizer = field(default_factory=LengthNormalizer)

    name: ClassVar[str] = "sampling"

    def __post_init__(self) -> None:
        _check_rows("num_samples", self.num_samples)
        if not 0.01 <= self.temperature <= 100:
            remedy = "for the limit 0 use the greedy strategy"
            raise ValueError(f"temperature must be between 0.01 and 100 ({remedy}); got {self.temperature}")
        if self.top_k < 0:
            raise ValueError(f"top_k must be at least 1, or 0 for all tokens; got {self.top_k}")
        if not 0 < self.top_p <= 1:
            raise ValueError(f"top_p must be above 0 and at most 1; got {self.top_p}")

    @property
    def width(self) -> int:
        """See `DecodingStrategy.width`."""
        return self.num_samples

    @property
    def num_starts(self) -> int:
        """Every sample is a chain of its own from the first step."""
        return self.num_samples

    def expand(self, log_probs: Tensor, beam: Beam, rng: torch.Generator) -> Candidates:
        """One token for each live row, by inversion: a uniform number cuts the cumulative distribution."""
        tempered = nucleus(top_k_only(log_probs / self.temperature, self.top_k), self.top_p)
        cumulative = tempered.softmax(dim=-1).cumsum(dim=-1)
        # Drawn on the CPU, so that a seed replays on every device.
        uniform = torch.rand((*log_probs.shape[:2], 1), generator=rng).to(log_probs.device)
        # Scaled by the total, which rounding leaves a little off 1, and strictly below it.
        threshold = uniform * cumulative[..., -1:]
        tokens = torch.searchsorted(cumulative, threshold, right=True).clamp_max(log_probs.shape[-1] - 1)
        own = log_probs.gather(-1, tokens).squeeze(-1)
        parents = torch.arange(own.shape[1], device=own.device).expand_as(own)
        return Candidates(parents, tokens.squeeze(-1), own, beam.log_probs + own)

    def is_done(self, best_running: float, length: int, pool: Pool, max_length: int) -> bool:
        """Only when every sample has ended."""
        return pool.full


def best_expansions(log_probs: Tensor, beam: Beam, count: int) -> Candidates:
    """The `count` best of beam x vocabulary by cumulative log-probability."""
    batch, _, vocab_size = log_probs.shape
    total = (beam.log_probs.unsqueeze(-1) + log_probs).view(batch, -1)  # (B, K*V)
    cumulative, flat = ranked_top_k(total, count)
    own = log_probs.reshape(batch, -1).gather(1, flat)
    return Candidates(flat // vocab_size, flat % vocab_size, own, cumulative)


def _check_rows(name: str, value: int) -> None:
    if not 1 <= value <= MAX_ROWS:
        raise ValueError(f"{name} must be between 1 and {MAX_ROWS}; got {value}")
