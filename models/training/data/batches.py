"""The batches of an epoch, by lengths of pairs alone. Imports no torch, since forms count steps."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from models.corpus.pairs import DataError


class Size(NamedTuple):
    """The size of a padded batch."""

    rows: int
    source: int  # tokens of the longest source
    target: int  # tokens of the longest target

    @property
    def tokens(self) -> int:
        """Padded tokens of both sides."""
        return self.rows * (self.source + self.target)

    def holds(self, other: Size) -> bool:
        """Whether a batch of the other size can be filled up to this one."""
        return self.union(other) == self

    def union(self, other: Size) -> Size:
        """The smallest size that holds both."""
        return Size(*map(max, zip(self, other, strict=True)))


def short_pair_indices(sources: Sequence[int], targets: Sequence[int], max_tokens: int) -> list[int]:
    """Indices of the pairs with at most `max_tokens` tokens on either side.

    Raises DataError if there are none.
    """
    indices = [i for i, both in enumerate(zip(sources, targets, strict=True)) if max(both) <= max_tokens]
    if not indices:
        raise DataError(
            "no_short_pair", "no pair has at most {limit} tokens: raise data.max_pieces", limit=max_tokens
        )
    return indices


def bucket_by_length(
    sources: Sequence[int], targets: Sequence[int], batch_tokens: int, rng: random.Random | None
) -> Iterator[list[int]]:
    """Indices of each batch: pairs of similar length, at most `batch_tokens` padded tokens on either side.

    `sources` and `targets` are lengths. A pair that is longer than the limit is a batch of its own. Without
    `rng` the batches are ordered by length. The number of batches depends on the lengths alone.
    """
    order = list(range(len(sources)))
    if rng is not None:
        rng.shuffle(order)
    order.sort(key=lambda i: (targets[i], sources[i]))
    batches: list[list[int]] = []
    longest = 0
    for i in order:
        longest = max(longest, targets[i], sources[i])
        if not batches or longest * (len(batches[-1]) + 1) > batch_tokens:
            batches.append([])
            longest = max(targets[i], sources[i])
        batches[-1].append(i)
    if rng is not None:
        rng.shuffle(batches)
    return iter(batches)


def few_sizes(sizes: Iterable[Size], limit: int) -> list[Size]:
    """Find at most `limit` sizes such that every given size fits into one of them; fewest tokens first.

    While there are too many, the two neighbours whose union adds the fewest padded tokens are joined.
    """
    few = sorted(Counter(sizes).items(), key=lambda item: (max(item[0][1:]), item[0].target))
    while len(few) > limit:
        joined = [(one.union(other), n + m) for (one, n), (other, m) in pairwise(few)]
        costs = [
            size.tokens * count - one.tokens * n - other.tokens * m
            for (size, count), ((one, n), (other, m)) in zip(joined, pairwise(few), strict=True)
        ]
        cheapest = costs.index(min(costs))
        few[cheapest : cheapest + 2] = [joined[cheapest]]
    return sorted({size for size, _ in few}, key=lambda size: size.tokens)
