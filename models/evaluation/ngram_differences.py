"""The words and word sequences that a system writes too often or too rarely."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from models.metrics.words import words

LONGEST = 4
MAX_NGRAMS = 20  # the most n-grams of each list


@dataclass(frozen=True)
class NGramCount:
    """n words in a row, over all segments."""

    words: tuple[str, ...]
    surplus: int  # occurrences beyond those in the reference that has it most often
    lack: int  # missing occurrences that every reference has
    matched: int  # occurrences that a reference has too
    example: int  # index of the first segment with a surplus or a lack


@dataclass(frozen=True)
class NGramDifferences:
    """The most frequent differences."""

    over: tuple[NGramCount, ...]
    under: tuple[NGramCount, ...]


def ngram_differences(
    outputs: Sequence[str], references: Sequence[Sequence[str]], language: str = "", order: int = 1
) -> NGramDifferences:
    """Rank at most 20 n-grams each by net surplus or lack. Raises ValueError unless 1 <= order <= 4."""
    if not 1 <= order <= LONGEST:
        raise ValueError(f"order must be between 1 and {LONGEST}; got {order}")
    over: Counter[tuple[str, ...]] = Counter()
    under: Counter[tuple[str, ...]] = Counter()
    matched: Counter[tuple[str, ...]] = Counter()
    first: dict[tuple[bool, tuple[str, ...]], int] = {}
    for index, (output, texts) in enumerate(zip(outputs, references, strict=True)):
        actual = Counter(_ngrams(output, language, order))
        wanted = [Counter(_ngrams(text, language, order)) for text in texts]
        most = wanted[0].copy()
        least = wanted[0].copy()
        for other in wanted[1:]:
            most |= other
            least &= other
        for total, counts, is_over in ((over, actual - most, True), (under, least - actual, False)):
            total += counts
            for ngram in counts:
                first.setdefault((is_over, ngram), index)
        matched += actual & most

    def listed(more: Counter[tuple[str, ...]], less: Counter[tuple[str, ...]]) -> Iterator[NGramCount]:
        net = more.copy()
        net.subtract(less)
        ranked = sorted((-count, ngram) for ngram, count in net.items() if count > 0)
        for _, ngram in ranked[:MAX_NGRAMS]:
            yield NGramCount(ngram, over[ngram], under[ngram], matched[ngram], first[more is over, ngram])

    return NGramDifferences(tuple(listed(over, under)), tuple(listed(under, over)))


def _ngrams(text: str, language: str, order: int) -> Iterator[tuple[str, ...]]:
    tokens = words(text, language)
    return (tuple(tokens[start : start + order]) for start in range(len(tokens) - order + 1))
