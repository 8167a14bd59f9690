"""Pairs set aside for validation, all pairs of a source on one side, so that nothing leaks."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence

from models.corpus.pairs import DataError, Pair, Split

LARGEST_SHARE = 0.5


def split_pairs(pairs: Sequence[Pair], share: float = 0.05, seed: int = 0) -> Split:
    """About `share` of the pairs for validation, at least one; which ones depends on seed and texts alone.

    Sources that differ only in case or spacing stay together. Raises DataError for a share outside
    (0, 0.5] and for fewer than two different sources.
    """
    if not 0 < share <= LARGEST_SHARE:
        raise DataError(
            "share_out_of_range",
            "the share for validation must be above 0 and at most {limit}; got {value}",
            limit=LARGEST_SHARE,
            value=share,
        )
    keys = [_key(source) for source, _ in pairs]
    sizes = Counter(keys)
    if len(sizes) < 2:
        raise DataError(
            "too_few_different_sources",
            "training and validation need pairs with at least two different sources: add pairs with "
            "other sources",
        )
    wanted = max(1, round(share * len(pairs)))
    held_out: set[str] = set()
    held_pairs = 0
    order = seeded_order(sizes, seed)
    for key in order:
        if held_pairs + sizes[key] <= wanted:
            held_out.add(key)
            held_pairs += sizes[key]
        if held_pairs == wanted:
            break
    if not held_out:
        held_out.add(min(order, key=lambda key: sizes[key]))
    train = tuple(pair for pair, key in zip(pairs, keys, strict=True) if key not in held_out)
    valid = tuple(pair for pair, key in zip(pairs, keys, strict=True) if key in held_out)
    return Split(train, valid)


def _key(source: str) -> str:
    return " ".join(source.casefold().split())


def seeded_order(keys: Iterable[str], seed: int) -> list[str]:
    """Different texts in the order of their hashes, whatever their order in a file."""

    def digest(key: str) -> bytes:
        # A lone surrogate has no UTF-8, but it must not stop a split.
        return hashlib.blake2b(f"{seed} {key}".encode("utf-8", "surrogatepass"), digest_size=16).digest()

    return sorted(keys, key=digest)
