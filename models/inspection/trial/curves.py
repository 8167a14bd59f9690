"""Deletion and insertion curves: what is left of an answer without the strongest tokens, and with them alone.

Petsiuk et al. 2018, "RISE", section 3.3. A method that knows what the answer hangs on loses it at once by
deletion, and has it at once by insertion.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch

from models.inspection.methods.occlusion import without
from models.inspection.question import Inquiry

SHARES = tuple(index / 10 for index in range(11))  # of the source's tokens


@dataclass(frozen=True)
class Curves:
    """The token's probability, at each of `SHARES`."""

    deletion: tuple[float, ...]  # without the strongest tokens
    insertion: tuple[float, ...]  # with the strongest tokens alone

    @property
    def areas(self) -> tuple[float, float]:
        """Under both, from 0 to 1: the smaller the first and the larger the second, the better."""
        return _area(self.deletion), _area(self.insertion)


def curves(inquiry: Inquiry, scores: Sequence[Sequence[float]]) -> list[Curves]:
    """Of several methods' scores (P) for the same step; the strongest are those of the largest size.

    With a rival what is drawn is not a probability but the margin's exponential.
    """
    size = len(inquiry.places)
    counts = torch.tensor([round(share * size) for share in SHARES])
    strength = torch.tensor([list(score) for score in scores]).abs()  # (M, P)
    order = strength.argsort(dim=1, descending=True, stable=True)
    ranks = order.argsort(dim=1)  # (M, P): 0 is the strongest
    gone = ranks.unsqueeze(1) < counts.view(1, -1, 1)  # (M, K, P)
    rows = torch.cat((gone, ~gone)).flatten(0, 1).to(inquiry.places.device)
    left = without(inquiry, rows).exp().view(2, len(scores), len(SHARES)).tolist()
    return [Curves(tuple(lost), tuple(gained)) for lost, gained in zip(*left, strict=True)]


def mean_of(drawn: Sequence[Curves]) -> Curves:
    """The mean of each point."""
    return Curves(
        *(
            tuple(math.fsum(point) / len(drawn) for point in zip(*kind, strict=True))
            for kind in (
                [item.deletion for item in drawn],
                [item.insertion for item in drawn],
            )
        )
    )


def _area(points: Sequence[float]) -> float:
    """By trapezoids."""
    between = [(one + other) / 2 for one, other in pairwise(points)]
    return math.fsum(between) / len(between)
