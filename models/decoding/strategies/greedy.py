"""Greedy decoding."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from models.decoding.description import Description, Family, StrategyPreset
from models.decoding.search.beam import Beam, Candidates
from models.decoding.search.strategy import DecodingStrategy, LengthNormalizer, best_expansions
from models.decoding.strategies import register

if TYPE_CHECKING:
    import torch
    from torch import Tensor


@register
@dataclass(frozen=True)
class Greedy(DecodingStrategy):
    """Take the most probable token at each step, ties to the lower id; the runner-up is recorded too."""

    normalizer: LengthNormalizer = field(default_factory=LengthNormalizer)

    name: ClassVar[str] = "greedy"
    rows_compete: ClassVar[bool] = False
    width: ClassVar[int] = 1
    description: ClassVar[Description] = Description(
        label="Greedy",
        sentence="Takes the likeliest token at each step and never looks back.",
        family=Family.SEARCH,
        short="Greedy",
        details=("the likeliest token at every step",),
        presets=(StrategyPreset(position=1, ticked=True),),
        position=10,
    )

    def expand(self, log_probs: Tensor, beam: Beam, rng: torch.Generator) -> Candidates:
        return best_expansions(log_probs, beam, 2)
