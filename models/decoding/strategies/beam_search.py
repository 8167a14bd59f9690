"""Beam search."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from models.decoding.description import Description, Family, StrategyPreset
from models.decoding.search.beam import Beam, BeamHypotheses, Candidates
from models.decoding.search.strategy import DecodingStrategy, LengthNormalizer, best_expansions
from models.decoding.strategies import register

if TYPE_CHECKING:
    import torch
    from torch import Tensor


@register
@dataclass(frozen=True)
class BeamSearch(DecodingStrategy):
    """Beam search over cumulative log-probability, as Hugging Face's `generate` runs it.

    The 2 * beam_size best of beam x vocabulary are considered; one that ends is finished only if it ranks
    among the first beam_size; the beam_size best that do not end go on. `early_stopping`: True stops when
    the pool is full; False stops then only if no running sequence, scored at its present length, beats the
    worst finished one; "never" scores it at the length limit instead, if alpha is positive.
    """

    beam_size: int = 4
    normalizer: LengthNormalizer = field(default_factory=LengthNormalizer)
    early_stopping: bool | str = False

    name: ClassVar[str] = "beam"
    description: ClassVar[Description] = Description(
        label="Beam search",
        sentence="Keeps the few likeliest beginnings at each step and extends them side by side.",
        family=Family.SEARCH,
        short="Beam {beam_size}",
        details=("beam_size",),
        remark="best overall",
        settings=("beam_size", "length_penalty", "normalizer", "early_stopping"),
        main=("beam_size", "length_penalty"),
        presets=(
            StrategyPreset({"beam_size": 4}, position=2, ticked=True),
            StrategyPreset({"beam_size": 4, "length_penalty": 0.6}, position=3, ticked=True),
        ),
        position=20,
    )

    @property
    def width(self) -> int:
        return self.beam_size

    def expand(self, log_probs: Tensor, beam: Beam, rng: torch.Generator) -> Candidates:
        return best_expansions(log_probs, beam, 2 * self.beam_size)

    def greatest_penalty(self, length: int, max_length: int) -> float | None:
        """Return the larger penalty of the shortest and the greatest length: it is monotone in length."""
        return max(self.normalizer.penalty(length + 1), self.normalizer.penalty(max_length))

    def is_done(self, best_running: float, length: int, hypotheses: BeamHypotheses, max_length: int) -> bool:
        """Return whether the rule of `early_stopping` ends the search."""
        if self.early_stopping is True:
            return True
        at_max_length = self.early_stopping == "never" and self.normalizer.alpha > 0
        return self.normalizer(best_running, max_length if at_max_length else length) <= hypotheses.worst
