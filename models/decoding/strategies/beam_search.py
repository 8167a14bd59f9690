"""Greedy and beam search, plain and with a threshold."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import torch
from torch import Tensor

from models.decoding.beam import NEVER, Beam, Candidates, Cause, Lane
from models.decoding.scoring import LengthNormalizer
from models.decoding.strategies.base import DecodingStrategy, best_expansions, check_rows


@dataclass(frozen=True)
class Greedy(DecodingStrategy):
    """The most probable token at each step, ties to the lower id; the runner-up is recorded too."""

    normalizer: LengthNormalizer = field(default_factory=LengthNormalizer)

    name: ClassVar[str] = "greedy"
    competes: ClassVar[bool] = False
    width: ClassVar[int] = 1

    def expand(self, log_probs: Tensor, beam: Beam, rng: torch.Generator) -> Candidates:
        """See `DecodingStrategy.expand`."""
        return best_expansions(log_probs, beam, 2)

    def is_done(self, best_running: float, length: int, lane: Lane, max_length: int) -> bool:
        """The first end token that wins ends the search."""
        return lane.full


@dataclass(frozen=True)
class BeamSearch(DecodingStrategy):
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

    def __post_init__(self) -> None:
        check_rows("beam_size", self.beam_size)
        if self.early_stopping not in (True, False, "never"):
            raise ValueError(f'early_stopping must be True, False or "never"; got {self.early_stopping!r}')

    @property
    def width(self) -> int:
        """See `DecodingStrategy.width`."""
        return self.beam_size

    def expand(self, log_probs: Tensor, beam: Beam, rng: torch.Generator) -> Candidates:
        """See `DecodingStrategy.expand`."""
        return best_expansions(log_probs, beam, 2 * self.beam_size)

    def is_done(self, best_running: float, length: int, lane: Lane, max_length: int) -> bool:
        """See the class."""
        if not lane.full or self.early_stopping is True:
            return lane.full
        hopeful = self.early_stopping == "never" and self.normalizer.alpha > 0
        return self.normalizer(best_running, max_length if hopeful else length) <= lane.worst


@dataclass(frozen=True)
class ThresholdBeamSearch(BeamSearch):
    """Beam search that drops what falls too far behind (Freitag and Al-Onaizan 2017, relative threshold).

    A candidate goes on only if its probability is at least `threshold` times that of the best candidate of
    its step, so that the beam is narrow where the model is sure. 0 drops nothing.
    """

    threshold: float = 0.1

    name: ClassVar[str] = "threshold"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.threshold <= 1:
            raise ValueError(f"threshold must be a ratio of probabilities from 0 to 1; got {self.threshold}")

    def expand(self, log_probs: Tensor, beam: Beam, rng: torch.Generator) -> Candidates:
        """See `DecodingStrategy.expand`."""
        found = super().expand(log_probs, beam, rng)
        margin = torch.tensor(self.threshold, dtype=found.order.dtype, device=found.order.device).log()
        behind = (found.order < found.order[:, :1] + margin) & (found.order > NEVER)
        return replace(found, causes=behind.long() * Cause.THRESHOLD)
