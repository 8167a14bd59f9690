"""Other places where the same units are on: the search of LSTMVis (Strobelt et al. 2018).

A unit is on where its value is above a threshold. A pattern is a range of steps, and the units that are on in
all of it and off right before and right behind it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.inspection.units import Values

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Pattern:
    """What is looked for."""

    length: int  # steps
    units: tuple[int, ...]  # on in all of them, off before and behind
    threshold: float


@dataclass(frozen=True)
class Match:
    """A range of steps of a text, and how far it is like the pattern."""

    text: int  # which of those that were searched, from 0
    first: int  # step, from 0
    last: int  # step, included
    shared: tuple[int, ...]  # units of the pattern that are on here, and off before and behind
    others: int  # units that are so here and not in the pattern


def pattern(values: Values, first: int, last: int, threshold: float) -> Pattern:
    """The units (T, D) that are on from step `first` to `last`, and off around it.

    Where the text begins or ends nothing can be on. Raises ValueError for a range that is not in the text.
    """
    if not 0 <= first <= last < len(values):
        raise ValueError(f"the range must lie in 0 to {len(values) - 1}; got {first} to {last}")
    length = last - first + 1
    alike = _alike(values > threshold, length)[first]
    return Pattern(length, tuple(np.flatnonzero(alike).tolist()), threshold)


def places(sought: Pattern, texts: Sequence[Values], longest: int | None = None) -> list[Match]:
    """Where the units of a pattern are on together elsewhere, the most alike first.

    texts: (T, D) each. Ranges of at most `longest` steps, twice the pattern's unless given. Two places of a
    text do not overlap. More units of the pattern come first, then fewer others, then a like length.
    """
    if not texts or not sought.units:
        return []
    wanted = np.zeros(texts[0].shape[1], dtype=bool)
    wanted[list(sought.units)] = True
    limit = longest or 2 * sought.length
    result = [
        place
        for index, values in enumerate(texts)
        for place in _in_text(sought, wanted, index, values, limit)
    ]

    def order(place: Match) -> tuple[int, ...]:
        unlike = abs(place.last - place.first + 1 - sought.length)
        return -len(place.shared), place.others, unlike, place.text, place.first

    kept: list[Match] = []
    taken = [np.zeros(len(values), dtype=bool) for values in texts]
    for place in sorted(result, key=order):
        steps = taken[place.text][place.first : place.last + 1]
        if not steps.any():
            steps[:] = True
            kept.append(place)
    return kept


def _in_text(sought: Pattern, wanted: Mask, text: int, values: Values, longest: int) -> Iterator[Match]:
    on = values > sought.threshold
    for length in range(1, min(longest, len(values)) + 1):
        alike = _alike(on, length)
        shared = alike & wanted
        others = (alike & ~wanted).sum(axis=1)
        for first in np.flatnonzero(shared.any(axis=1)).tolist():
            units = tuple(np.flatnonzero(shared[first]).tolist())
            yield Match(text, first, first + length - 1, units, int(others[first]))


def _alike(on: Mask, length: int) -> Mask:
    """Whether a unit is on in all of `length` steps, and off around them: (T, D) -> (T - length + 1, D)."""
    counts = np.concatenate((np.zeros((1, on.shape[1]), dtype=np.int64), on.cumsum(axis=0)))
    whole = counts[length:] - counts[:-length] == length
    edge = np.zeros((1, on.shape[1]), dtype=bool)
    around = np.concatenate((edge, on, edge))
    starts = len(whole)
    kept: Mask = whole & ~around[:starts] & ~around[length + 1 : length + 1 + starts]
    return kept
