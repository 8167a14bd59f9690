"""Pairs of texts, their division into parts, and the error for data that cannot be used."""

from __future__ import annotations

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from models.errors import UnrolledError
from models.tokenization.plain_text import plain_text

Pair = tuple[str, str]
MAX_VALIDATION_SHARE = 0.5


class DataError(UnrolledError, ValueError):
    """Data that cannot be used; the message names the file and line."""


@dataclass(frozen=True)
class Split:
    """Training and validation pairs that share no source."""

    train: tuple[Pair, ...]
    valid: tuple[Pair, ...]
    note: str = ""  # a sentence for the user if the split differs from the request


def clean_text(text: str) -> str:
    """A text as training and evaluation use it: plain, on one line, in NFC."""
    return unicodedata.normalize("NFC", plain_text(text))


def by_source(pairs: Iterable[Pair]) -> dict[str, list[str]]:
    """Each source once, in order, with its different references. Every measurement on a test set uses it."""
    grouped: dict[str, list[str]] = {}
    for source, reference in pairs:
        references = grouped.setdefault(source, [])
        if reference not in references:
            references.append(reference)
    return grouped


def split_pairs(pairs: Sequence[Pair], share: float = 0.05, seed: int = 0) -> Split:
    """Set about `share` of the pairs aside for validation, at least one. The seed and the texts decide which.

    Sources that differ only in case or spacing stay together. Raises DataError for a share outside
    (0, 0.5] and for fewer than two different sources.
    """
    if not 0 < share <= MAX_VALIDATION_SHARE:
        raise DataError(
            "share_out_of_range",
            "the share for validation must be above 0 and at most {limit}; got {value}",
            limit=MAX_VALIDATION_SHARE,
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
    num_valid = max(1, round(share * len(pairs)))
    valid_keys: set[str] = set()
    num_chosen = 0
    shuffled = shuffled_keys(sizes, seed)
    for key in shuffled:
        if num_chosen + sizes[key] <= num_valid:
            valid_keys.add(key)
            num_chosen += sizes[key]
        if num_chosen == num_valid:
            break
    if not valid_keys:
        valid_keys.add(min(shuffled, key=lambda key: sizes[key]))
    train = tuple(pair for pair, key in zip(pairs, keys, strict=True) if key not in valid_keys)
    valid = tuple(pair for pair, key in zip(pairs, keys, strict=True) if key in valid_keys)
    return Split(train, valid)


def _key(source: str) -> str:
    return " ".join(source.casefold().split())


def shuffled_keys(keys: Iterable[str], seed: int) -> list[str]:
    """Return different texts, sorted by a hash with the seed, so that their order in a file has no effect."""

    def digest(key: str) -> bytes:
        # A lone surrogate has no UTF-8, but it must not stop a split.
        return hashlib.blake2b(f"{seed} {key}".encode("utf-8", "surrogatepass"), digest_size=16).digest()

    return sorted(keys, key=digest)
