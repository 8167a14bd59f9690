"""Deletion and insertion curves: the prediction without the strongest tokens, and with these alone.

Petsiuk et al. 2018, "RISE". With a good method the probability falls at once by deletion, and
rises at once by insertion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

import torch

from models.inspection.methods.occlusion import values_without
from models.inspection.question import ExplainedPrediction

TOKEN_SHARES = tuple(tenth / 10 for tenth in range(11))  # shares of the source's tokens


@dataclass(frozen=True)
class Curves:
    """The probability of the token, at each of TOKEN_SHARES."""

    deletion: tuple[float, ...]  # the curve without the strongest tokens
    insertion: tuple[float, ...]  # the curve of the strongest tokens alone

    @property
    def areas(self) -> tuple[float, float]:
        """Areas under deletion and insertion, 0 to 1: a good method has a small first and a large second."""
        return _area(self.deletion), _area(self.insertion)


def curves(prediction: ExplainedPrediction, scores: Sequence[Sequence[float]]) -> list[Curves]:
    """Curves for the scores (P) of several methods at one step; the largest absolute scores come first.

    For a question with a rival the curves show the exponential of the margin instead of a probability.
    """
    size = len(prediction.places)
    counts = torch.tensor([round(share * size) for share in TOKEN_SHARES])
    strength = torch.tensor([list(method_scores) for method_scores in scores]).abs()  # (M, P)
    by_strength = strength.argsort(dim=1, descending=True, stable=True)
    ranks = by_strength.argsort(dim=1)  # (M, P): 0 is the strongest
    is_strongest = ranks.unsqueeze(1) < counts.view(1, -1, 1)  # (M, K, P)
    rows = torch.cat((is_strongest, ~is_strongest)).flatten(0, 1).to(prediction.places.device)
    remaining = values_without(prediction, rows).exp().view(2, len(scores), len(TOKEN_SHARES)).tolist()
    return [Curves(tuple(deletion), tuple(insertion)) for deletion, insertion in zip(*remaining, strict=True)]


def mean_of(curves: Sequence[Curves]) -> Curves:
    """The mean of several curves, point by point."""
    kinds = [curve.deletion for curve in curves], [curve.insertion for curve in curves]
    return Curves(*(tuple(map(fmean, zip(*kind, strict=True))) for kind in kinds))


def _area(points: Sequence[float]) -> float:
    """The area under a curve by the trapezoidal rule."""
    return fmean((a + b) / 2 for a, b in pairwise(points))
