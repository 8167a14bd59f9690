"""What a corpus is like: lengths, repeats, unknown tokens, and what of its validation pairs training sees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from models.corpus.pairs import DataError, Pair
from models.tokenization.tokenizer import Tokenizer

BINS = 20  # at most, of a histogram
LONGEST = 5  # how many of the longest pairs are kept
MOST_TOKENIZED = 50_000  # texts of a side; beyond, every second or third and so on, evenly spread
_CHUNK = 10_000  # texts that are tokenized at once


@dataclass(frozen=True)
class Bin:
    """One bar of a histogram."""

    first: int
    last: int  # included
    count: int


@dataclass(frozen=True)
class Lengths:
    """The distribution of the lengths of the texts on one side."""

    minimum: int
    median: int
    percentile_95: int
    maximum: int
    bins: tuple[Bin, ...]  # of equal width, from the minimum; the last holds all that is longer


@dataclass(frozen=True)
class SideStatistics:
    """The sources, or the targets."""

    characters: Lengths
    tokens: Lengths | None  # of `tokenized` texts, without the end token; None without a tokenizer
    unknown_rate: float | None  # share of those tokens that the vocabulary lacks, 0 to 1
    tokenized: int  # how many texts were


@dataclass(frozen=True)
class CorpusStatistics:
    """Counts over the pairs of one corpus; the last three are about its validation pairs, None without."""

    pairs: int
    distinct_pairs: int
    duplicates: int  # pairs that have occurred before
    sources_with_several_targets: int  # distinct sources
    identical: int  # pairs whose source is their target
    empty: int  # pairs with a side that is empty or white space
    source: SideStatistics
    target: SideStatistics
    longest: tuple[Pair, ...]  # by characters of both sides, the longest first
    valid_pairs: int | None
    leaked_sources: int | None  # validation pairs whose source occurs in training
    leaked_pairs: int | None  # validation pairs that occur in training


def corpus_statistics(
    pairs: Sequence[Pair], tokenizer: Tokenizer | None = None, valid: Sequence[Pair] | None = None
) -> CorpusStatistics:
    """The statistics of training pairs and their overlap with validation. Raises DataError without pairs."""
    if not pairs:
        raise DataError(
            "no_pairs_to_count", "there are no pairs to count: choose a file or task that has some"
        )
    distinct = set(pairs)
    targets = Counter(source for source, _ in distinct)
    return CorpusStatistics(
        pairs=len(pairs),
        distinct_pairs=len(distinct),
        duplicates=len(pairs) - len(distinct),
        sources_with_several_targets=sum(count > 1 for count in targets.values()),
        identical=sum(source == target for source, target in pairs),
        empty=sum(not source.strip() or not target.strip() for source, target in pairs),
        source=_side([source for source, _ in pairs], tokenizer),
        target=_side([target for _, target in pairs], None if tokenizer is None else tokenizer.target),
        longest=tuple(sorted(distinct, key=lambda pair: (-len(pair[0]) - len(pair[1]), pair))[:LONGEST]),
        valid_pairs=None if valid is None else len(valid),
        leaked_sources=None if valid is None else sum(source in targets for source, _ in valid),
        leaked_pairs=None if valid is None else sum(pair in distinct for pair in valid),
    )


def _side(texts: list[str], tokenizer: Tokenizer | None) -> SideStatistics:
    characters = _lengths([len(text) for text in texts])
    if tokenizer is None:
        return SideStatistics(characters, None, None, 0)
    texts = texts[:: -(-len(texts) // MOST_TOKENIZED)]
    lengths: list[int] = []
    unknown = 0
    # In chunks, because the ids of half a million texts at once would be lists of many megabytes.
    for start in range(0, len(texts), _CHUNK):
        encoded = tokenizer.encode_ids(texts[start : start + _CHUNK])
        lengths += [len(ids) - 1 for ids in encoded]
        unknown += sum(ids.count(tokenizer.unk_id) for ids in encoded)
    return SideStatistics(characters, _lengths(lengths), unknown / max(1, sum(lengths)), len(texts))


def _lengths(values: list[int]) -> Lengths:
    values = sorted(values)
    low, high = values[0], values[-1]
    # Quantiles by nearest rank: lengths that occur, so whole numbers.
    percentile_95 = values[_rank(95, len(values))]
    # One text of thousands of characters must not squeeze all others into one bar.
    shown = min(high, max(2 * percentile_95, low + 1))
    width = -(-(shown - low + 1) // BINS)
    counts = Counter(min(value, shown) for value in values)
    bins = []
    for first in range(low, shown + 1, width):
        last = first + width - 1
        count = sum(counts[value] for value in range(first, last + 1))
        bins.append(Bin(first, last, count))
    bins[-1] = Bin(bins[-1].first, max(high, bins[-1].first), bins[-1].count)
    return Lengths(low, values[_rank(50, len(values))], percentile_95, high, tuple(bins))


def _rank(percent: int, count: int) -> int:
    return -(-percent * count // 100) - 1
