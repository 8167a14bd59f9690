"""Significance of a difference between two systems on the same sources. Imports no torch.

Paired bootstrap (Koehn 2004) and approximate randomisation (Riezler and Maxwell 2005), both
two-sided. Memory holds sums of statistics, never the resampled outputs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.metrics.bootstrap import BOOTSTRAP_SEED, MAX_DRAWS, SentenceStatistics, check_paired, percentiles

NUM_TRIALS = 10_000  # trials of approximate randomisation


@dataclass(frozen=True)
class Difference:
    """The difference of two systems' scores on N outputs, and the probability of one as large by chance."""

    value: float  # the first system's score minus the second's, in points
    low: float  # percentile 2.5 of the bootstrap
    high: float  # percentile 97.5
    bootstrap_p: float
    randomisation_p: float
    significant: bool  # p < 5 %, by randomisation, which assumes less (Riezler and Maxwell 2005)


def difference(
    system: SentenceStatistics,
    other_system: SentenceStatistics,
    seed: int = BOOTSTRAP_SEED,
    trials: int = NUM_TRIALS,
) -> Difference:
    """Compare two systems. Raises ValueError unless both have the same number of outputs."""
    check_paired(system, other_system)
    value = system.value() - other_system.value()
    resampled = system.resample(seed) - other_system.resample(seed)
    low, high = percentiles(resampled)
    # Both distributions have their centre at 0. sacrebleu takes absolute values before it centres, which
    # halves the p-value: it calls one in ten pairs of equal systems different at 5 %.
    centred = np.abs(resampled - resampled.mean())
    swapped = np.abs(_randomise(system, other_system, seed, trials))
    bootstrap_p, randomisation_p = _p_value(centred, abs(value)), _p_value(swapped, abs(value))
    return Difference(value, low, high, bootstrap_p, randomisation_p, randomisation_p < 0.05)


def _p_value(sizes: NDArray[np.float64], real: float) -> float:
    """The share of differences that are at least as large as the real one, which is counted too.

    sacrebleu counts only larger ones, so that a system differs significantly from itself.
    """
    return float(((sizes >= real - 1e-9).sum() + 1) / (len(sizes) + 1))


def _randomise(
    system: SentenceStatistics, other_system: SentenceStatistics, seed: int, trials: int
) -> NDArray[np.float64]:
    """Differences (trials,) of systems whose outputs are swapped with probability 1/2, pair by pair."""
    our_statistics, their_statistics = system.statistics, other_system.statistics
    total = our_statistics.sum(axis=0) + their_statistics.sum(axis=0)
    differences = []
    for swap in _swaps(len(our_statistics), seed, trials):
        first = swap @ their_statistics + (1 - swap) @ our_statistics  # (B, S)
        differences.append(system.scores(first) - other_system.scores(total - first))
    return np.concatenate(differences)


def _swaps(count: int, seed: int, trials: int) -> Iterator[NDArray[np.int64]]:
    """Blocks (B, count) of 0 and 1, so small that memory does not grow with the outputs."""
    rng = np.random.default_rng(seed)
    block = max(1, MAX_DRAWS // count)
    for start in range(0, trials, block):
        yield rng.integers(0, 2, size=(min(block, trials - start), count))
