"""Search for ranges of steps in which the same units are on, as in LSTMVis (Strobelt et al. 2018).

A unit is on where its value is above a threshold. A pattern is the length of a range of steps, and the units
that are on in the whole range and off right before and after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.inspection.units.over_time import Values

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Pattern:
    """A pattern of units to search for."""

    length: int  # steps
    units: tuple[int, ...]  # units that are on in all of them, off before and after
    threshold: float


@dataclass(frozen=True)
class Match:
    """A range of steps of a text, and its similarity to the pattern."""

    text: int  # index of the searched text
    first: int  # step, from 0
    last: int  # step, included
    shared: tuple[int, ...]  # units of the pattern that are on here, and off before and after
    other_units: int  # number of such units that are not in the pattern


def pattern(values: Values, first: int, last: int, threshold: float) -> Pattern:
    """The pattern of units (T, D) that are on from step `first` to `last`, and off around it.

    Outside of the text all units count as off. Raises ValueError for a range that is not in the text.
    """
    if not 0 <= first <= last < len(values):
        raise ValueError(f"the range must lie in 0 to {len(values) - 1}; got {first} to {last}")
    length = last - first + 1
    alike = _alike(values > threshold, length)[first]
    return Pattern(length, tuple(np.flatnonzero(alike).tolist()), threshold)


def matching_ranges(pattern: Pattern, texts: Sequence[Values], longest: int | None = None) -> list[Match]:
    """Ranges of steps in which units of a pattern are on together, the most similar first.

    texts: (T, D) each. longest: steps of a range at most; None = twice the pattern's. Matches of a text do
    not overlap. They are ranked by more units of the pattern, then fewer others, then a more similar length.
    """
    if not texts or not pattern.units:
        return []
    in_pattern = np.zeros(texts[0].shape[1], dtype=bool)
    in_pattern[list(pattern.units)] = True
    limit = longest or 2 * pattern.length
    candidates = [
        match
        for text, values in enumerate(texts)
        for match in _in_text(pattern, in_pattern, text, values, limit)
    ]

    def rank(match: Match) -> tuple[int, ...]:
        difference = abs(match.last - match.first + 1 - pattern.length)
        return -len(match.shared), match.other_units, difference, match.text, match.first

    matches: list[Match] = []
    covered = [np.zeros(len(values), dtype=bool) for values in texts]
    for match in sorted(candidates, key=rank):
        steps = covered[match.text][match.first : match.last + 1]
        if not steps.any():
            steps[:] = True
            matches.append(match)
    return matches


def _in_text(pattern: Pattern, in_pattern: Mask, text: int, values: Values, longest: int) -> Iterator[Match]:
    on = values > pattern.threshold
    for length in range(1, min(longest, len(values)) + 1):
        alike = _alike(on, length)
        shared = alike & in_pattern
        other_units = (alike & ~in_pattern).sum(axis=1)
        for first in np.flatnonzero(shared.any(axis=1)).tolist():
            units = tuple(np.flatnonzero(shared[first]).tolist())
            yield Match(text, first, first + length - 1, units, int(other_units[first]))


def _alike(on: Mask, length: int) -> Mask:
    """Whether a unit is on in all of `length` steps, and off around them: (T, D) -> (T - length + 1, D)."""
    counts = np.concatenate((np.zeros((1, on.shape[1]), dtype=np.int64), on.cumsum(axis=0)))
    is_run = counts[length:] - counts[:-length] == length
    edge = np.zeros((1, on.shape[1]), dtype=bool)
    padded = np.concatenate((edge, on, edge))
    starts = len(is_run)
    alike: Mask = is_run & ~padded[:starts] & ~padded[length + 1 : length + 1 + starts]
    return alike
