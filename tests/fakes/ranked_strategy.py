"""A strategy for tests: one output of likeliest tokens, one of second likeliest tokens, and so on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from models.decoding.description import Caption, Description, Family, StrategyPreset
from models.decoding.search.beam import Beam, BeamHypotheses, Candidates
from models.decoding.search.strategy import DecodingStrategy

if TYPE_CHECKING:
    import torch
    from torch import Tensor


@dataclass(frozen=True)
class Ranked(DecodingStrategy):
    """Output i takes the token of rank i at every step; `count` outputs."""

    count: int = 2

    name: ClassVar[str] = "ranked"
    rows_compete: ClassVar[bool] = False
    description: ClassVar[Description] = Description(
        label="By rank",
        title="One output by rank",
        sentence="Takes the token of the same rank at every step.",
        family=Family.DRAW,
        short="By rank, {beam_size} of them",
        details=("beam_size", "seed"),
        remark="for nobody",
        settings=("beam_size", "seed"),
        main=("beam_size",),
        fields={"beam_size": "count"},
        captions={"beam_size": Caption("Ranks", "How many are written.")},
        presets=(StrategyPreset({"beam_size": 3}, position=99),),
        slowness=9,
        ranking="Ranked by rank.",
    )

    @property
    def width(self) -> int:
        return self.count

    @property
    def num_starts(self) -> int:
        return self.count

    def expand(self, log_probs: Tensor, beam: Beam, rng: torch.Generator) -> Candidates:
        import torch

        ranked = log_probs.sort(dim=-1, descending=True, stable=True)
        ranks = torch.arange(self.count).expand(log_probs.shape[0], -1)
        tokens = ranked.indices.gather(2, ranks.unsqueeze(2)).squeeze(2)
        log_probs_of_ranks = ranked.values.gather(2, ranks.unsqueeze(2)).squeeze(2)
        return Candidates(ranks, tokens, beam.rank_scores + log_probs_of_ranks)

    def is_done(self, best_running: float, length: int, hypotheses: BeamHypotheses, max_length: int) -> bool:
        return hypotheses.full
