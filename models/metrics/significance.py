"""Whether one system is really better than another, on the same sources. Knows no torch.

Paired bootstrap (Koehn 2004, section 4) and approximate randomisation (Riezler and Maxwell 2005), both for a
difference of either sign. Only sums of statistics are held, never the outputs that were drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.metrics.bootstrap import MOST_DRAWS, SEED, Sentences, check_paired, percentiles

TRIALS = 10_000  # of approximate randomisation


@dataclass(frozen=True)
class Difference:
    """Of two systems' scores on N outputs, and how likely one as large is where there is none."""

    value: float  # ours less theirs, in points
    low: float  # percentile 2.5 of the bootstrap
    high: float  # percentile 97.5
    bootstrap_p: float
    randomisation_p: float

    @property
    def significant(self) -> bool:
        """At 5 %, by approximate randomisation, which needs fewer assumptions (Riezler and Maxwell 2005)."""
        return self.randomisation_p < 0.05


def difference(ours: Sentences, theirs: Sentences, seed: int = SEED, trials: int = TRIALS) -> Difference:
    """Ours less theirs. Raises ValueError unless both have as many outputs."""
    check_paired(ours, theirs)
    value = ours.value() - theirs.value()
    drawn = ours.resampled(seed) - theirs.resampled(seed)
    low, high = percentiles(drawn)
    # As if there were no difference. sacrebleu takes the sizes first, of which half of the chance is left:
    # among systems that are alike it finds one in ten different at 5 %.
    centred = np.abs(drawn - drawn.mean())
    swapped = np.abs(_randomised(ours, theirs, seed, trials))
    return Difference(value, low, high, _p_value(centred, abs(value)), _p_value(swapped, abs(value)))


def _p_value(found: NDArray[np.float64], real: float) -> float:
    """The share of differences at least as large as the real one, the real one among them.

    sacrebleu counts larger ones alone, by which a system differs from itself significantly.
    """
    return float(((found >= real - 1e-9).sum() + 1) / (len(found) + 1))


def _randomised(ours: Sentences, theirs: Sentences, seed: int, trials: int) -> NDArray[np.float64]:
    """(trials,) differences where each pair of outputs is swapped with probability 1/2."""
    mine, other = ours.statistics, theirs.statistics
    total = mine.sum(axis=0) + other.sum(axis=0)
    differences = []
    for swap in _swaps(len(mine), seed, trials):
        first = swap @ other + (1 - swap) @ mine  # (B, S)
        differences.append(ours.scores(first) - theirs.scores(total - first))
    return np.concatenate(differences)


def _swaps(count: int, seed: int, trials: int) -> Iterator[NDArray[np.int64]]:
    """(B, count) of 0 and 1, in blocks, so that memory does not grow with the outputs."""
    rng = np.random.default_rng(seed)
    block = max(1, MOST_DRAWS // count)
    for start in range(0, trials, block):
        yield rng.integers(0, 2, size=(min(block, trials - start), count))
