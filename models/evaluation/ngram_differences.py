"""The words and word sequences that a system writes too often or too rarely."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_
from typing import TypeAlias

from models.metrics.dissection import MAX_ORDER
from models.metrics.sentence import words

NGrams: TypeAlias = Counter[tuple[str, ...]]
MAX_NGRAMS = 20  # the most n-grams of each list


@dataclass(frozen=True)
class NGramCount:
    """n words in a row, over all segments."""

    words: tuple[str, ...]
    surplus: int  # occurrences beyond those in the reference that has it most often
    lack: int  # missing occurrences that every reference has
    matched: int  # occurrences that a reference has too
    example: int  # index of the first segment with a surplus, or with a lack for an n-gram of `under`


@dataclass(frozen=True)
class NGramDifferences:
    """The n-grams with the largest net surplus, and those with the largest net lack, largest first."""

    over: tuple[NGramCount, ...]
    under: tuple[NGramCount, ...]


def ngram_differences(
    outputs: Sequence[str], references: Sequence[Sequence[str]], language: str = "", order: int = 1
) -> NGramDifferences:
    """Rank n-grams of `order` words by net surplus and by net lack, at most MAX_NGRAMS each.

    Raises ValueError unless 1 <= order <= MAX_ORDER.
    """
    if not 1 <= order <= MAX_ORDER:
        raise ValueError(f"order must be between 1 and {MAX_ORDER}; got {order}")
    over, under, matched = NGrams(), NGrams(), NGrams()
    first: dict[tuple[bool, tuple[str, ...]], int] = {}
    for index, (output, texts) in enumerate(zip(outputs, references, strict=True)):
        actual = Counter(_ngrams(output, language, order))
        reference_counts = [Counter(_ngrams(text, language, order)) for text in texts]
        max_counts, min_counts = reduce(or_, reference_counts), reduce(and_, reference_counts)
        for total, counts, is_over in (
            (over, actual - max_counts, True),
            (under, min_counts - actual, False),
        ):
            total += counts
            for ngram in counts:
                first.setdefault((is_over, ngram), index)
        matched += actual & max_counts

    def largest(counts: NGrams, opposite: NGrams) -> Iterator[NGramCount]:
        net = counts.copy()
        net.subtract(opposite)
        ranked = sorted((-count, ngram) for ngram, count in net.items() if count > 0)
        for _, ngram in ranked[:MAX_NGRAMS]:
            yield NGramCount(ngram, over[ngram], under[ngram], matched[ngram], first[counts is over, ngram])

    return NGramDifferences(tuple(largest(over, under)), tuple(largest(under, over)))


def _ngrams(text: str, language: str, order: int) -> Iterator[tuple[str, ...]]:
    tokens = words(text, language)
    return (tuple(tokens[start : start + order]) for start in range(len(tokens) - order + 1))
