"""Beam search with a threshold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from models.decoding.description import Description, Family, StrategyPreset
from models.decoding.search.beam import NEG_INF, Candidates
from models.decoding.search.constraints import ROUNDING
from models.decoding.search.words import best_of_bank
from models.decoding.status import Reason
from models.decoding.strategies import register
from models.decoding.strategies.beam_search import BeamSearch


@register
@dataclass(frozen=True)
class ThresholdBeamSearch(BeamSearch):
    """Beam search that drops what falls too far behind (Freitag and Al-Onaizan 2017, relative threshold).

    A candidate goes on only if its probability is at least `threshold` times that of the best candidate of
    its step, so that the beam is narrow where the model is sure. 0 drops nothing. If words are required, the
    best is that of the candidates with equally many of their tokens.
    """

    threshold: float = 0.1

    name: ClassVar[str] = "threshold"
    description: ClassVar[Description] = Description(
        label="Threshold beam",
        title="Threshold beam search",
        sentence="A beam that also drops what falls too far behind, so it is narrow where the model is sure.",
        family=Family.SEARCH,
        short="Threshold beam {beam_size}",
        details=("threshold",),
        settings=("beam_size", "threshold", "length_penalty", "normalizer", "early_stopping"),
        main=("beam_size", "threshold"),
        presets=(StrategyPreset({"beam_size": 4}, position=10),),
        position=50,
        rare=True,
    )

    def apply_threshold(self, candidates: Candidates) -> Candidates:
        """Drop the candidates whose probability is below `threshold` times that of the best."""
        import torch  # loaded only when a search begins

        rank_scores = candidates.rank_scores
        margin = torch.tensor(self.threshold, dtype=rank_scores.dtype, device=rank_scores.device).log()
        best = rank_scores[:, :1] if candidates.banks is None else best_of_bank(candidates)
        too_low = (rank_scores < best + margin - ROUNDING * (1 - best)) & (rank_scores > NEG_INF)
        return replace(candidates, reasons=too_low.long() * Reason.THRESHOLD.code)
