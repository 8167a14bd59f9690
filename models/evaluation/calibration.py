"""The calibration of a teacher-forced network: whether it is right as often as its probabilities say.

Kumar and Sarawagi 2019 ("Calibration of encoder decoder models for neural machine translation"); the error
is that of Naeini et al. 2015.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from models.evaluation.text_scores import TextScores

NUM_CONFIDENCE_BINS = 10


@dataclass(frozen=True)
class ConfidenceBin:
    """Positions of references at which the most probable token has a similar probability."""

    low: float
    high: float
    count: int
    confidence: float  # mean probability of the most probable token
    accuracy: float  # share of positions at which that token is the reference's


@dataclass(frozen=True)
class Calibration:
    """The calibration over all positions of all references."""

    bins: tuple[ConfidenceBin, ...]  # the bins that are not empty
    error: float  # expected calibration error: mean gap between confidence and accuracy, weighted by count
    confidence: float
    accuracy: float


def calibration(texts: Sequence[TextScores], bins: int = NUM_CONFIDENCE_BINS) -> Calibration:
    """Measure calibration in bins of equal width. Raises ValueError if there is no token."""
    confidence = np.array([value for text in texts for value in text.confidences])
    hits = np.array([hit for text in texts for hit in text.hits], dtype=float)
    if not len(confidence):
        raise ValueError("calibration needs at least one token")
    indices = np.minimum((confidence * bins).astype(int), bins - 1)
    counts = np.bincount(indices, minlength=bins)
    sums = np.bincount(indices, confidence, bins), np.bincount(indices, hits, bins)
    groups = tuple(
        ConfidenceBin(
            index / bins,
            (index + 1) / bins,
            int(counts[index]),
            float(sums[0][index] / counts[index]),
            float(sums[1][index] / counts[index]),
        )
        for index in range(bins)
        if counts[index]
    )
    error = sum(group.count * abs(group.confidence - group.accuracy) for group in groups) / len(confidence)
    return Calibration(groups, float(error), float(confidence.mean()), float(hits.mean()))
