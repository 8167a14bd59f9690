"""Which words and word sequences a system writes too often, and which too rarely."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from models.metrics.words import words

LONGEST = 4
MOST = 20  # of each list


@dataclass(frozen=True)
class NGram:
    """n words in a row, over all segments."""

    words: tuple[str, ...]
    surplus: int  # times it was written beyond the reference that has it most often
    lack: int  # times it was missing though every reference has it
    matched: int  # times it was written and a reference has it
    example: int  # the first segment where it was too often, or missing


@dataclass(frozen=True)
class NGramDifferences:
    """The most frequent differences."""

    over: tuple[NGram, ...]
    under: tuple[NGram, ...]


def ngram_differences(
    outputs: Sequence[str], references: Sequence[Sequence[str]], language: str = "", order: int = 1
) -> NGramDifferences:
    """At most 20 each, the largest surplus or lack in all first. Raises ValueError unless 1 <= order <= 4."""
    if not 1 <= order <= LONGEST:
        raise ValueError(f"order must be between 1 and {LONGEST}; got {order}")
    over: Counter[tuple[str, ...]] = Counter()
    under: Counter[tuple[str, ...]] = Counter()
    matched: Counter[tuple[str, ...]] = Counter()
    first: dict[tuple[bool, tuple[str, ...]], int] = {}
    for index, (output, texts) in enumerate(zip(outputs, references, strict=True)):
        written = Counter(_ngrams(output, language, order))
        wanted = [Counter(_ngrams(text, language, order)) for text in texts]
        most = wanted[0].copy()
        least = wanted[0].copy()
        for other in wanted[1:]:
            most |= other
            least &= other
        for result, counts, is_over in ((over, written - most, True), (under, least - written, False)):
            result += counts
            for ngram in counts:
                first.setdefault((is_over, ngram), index)
        matched += written & most

    def listed(more: Counter[tuple[str, ...]], less: Counter[tuple[str, ...]]) -> Iterator[NGram]:
        net = more.copy()
        net.subtract(less)
        ranked = sorted((-count, ngram) for ngram, count in net.items() if count > 0)
        for _, ngram in ranked[:MOST]:
            yield NGram(ngram, over[ngram], under[ngram], matched[ngram], first[more is over, ngram])

    return NGramDifferences(tuple(listed(over, under)), tuple(listed(under, over)))


def _ngrams(text: str, language: str, order: int) -> Iterator[tuple[str, ...]]:
    tokens = words(text, language)
    return (tuple(tokens[index : index + order]) for index in range(len(tokens) - order + 1))
