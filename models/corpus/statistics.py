"""Statistics of a corpus: lengths, repeats, unknown tokens, and validation pairs that training also has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from models.corpus.pairs import DataError, Pair
from models.tokenization.tokenizer import Tokenizer

MAX_BINS = 20  # bins of a histogram
# A larger corpus is sampled: only every second pair, or every third and so on, is tokenized.
MAX_TOKENIZED_PAIRS, MAX_TOKENIZED_CHARACTERS = 20_000, 2_000_000  # characters: of both sides
_TEXTS_PER_CHUNK = 10_000  # texts that are tokenized at once


@dataclass(frozen=True)
class HistogramBin:
    """One bar of a histogram of lengths."""

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
    bins: tuple[HistogramBin, ...]  # equally wide, from the minimum; the last also has all longer texts


@dataclass(frozen=True)
class SideStatistics:
    """The sources, or the targets."""

    characters: Lengths
    tokens: Lengths | None  # lengths of `tokenized` texts, without the end token; None if none is tokenized
    unknown_rate: float | None  # share of those tokens that the vocabulary lacks, 0 to 1
    tokenized: int  # number of texts that were tokenized


@dataclass(frozen=True)
class TokenLengths:
    """The number of ids of each text of some pairs, end tokens included."""

    sources: tuple[int, ...]
    targets: tuple[int, ...]
    unknown: tuple[int, int]  # ids that the vocabulary lacks, of all sources and of all targets


@dataclass(frozen=True)
class CorpusStatistics:
    """Counts over the pairs of one corpus.

    Two are about its validation pairs (None without any), the last about the pairs that were tokenized.
    """

    pairs: int
    duplicates: int  # pairs that have occurred before
    sources_with_several_targets: int  # distinct sources
    identical: int  # pairs whose source is their target
    source: SideStatistics
    target: SideStatistics
    valid_pairs: int | None
    leaked_sources: int | None  # validation pairs whose source occurs in training
    short_enough: int | None = None  # pairs within the limit of ids on both sides; None if there is no limit


def corpus_statistics(pairs: Sequence[Pair], valid: Sequence[Pair] | None = None) -> CorpusStatistics:
    """The statistics of training pairs and their overlap with validation.

    Raises DataError if there are no pairs.
    """
    if not pairs:
        raise DataError(
            "no_pairs_to_count", "there are no pairs to count: choose a file or task that has some"
        )
    distinct = set(pairs)
    targets = Counter(source for source, _ in distinct)
    return CorpusStatistics(
        pairs=len(pairs),
        duplicates=len(pairs) - len(distinct),
        sources_with_several_targets=sum(count > 1 for count in targets.values()),
        identical=sum(source == target for source, target in pairs),
        source=_in_characters([source for source, _ in pairs]),
        target=_in_characters([target for _, target in pairs]),
        valid_pairs=None if valid is None else len(valid),
        leaked_sources=None if valid is None else sum(source in targets for source, _ in valid),
    )


def sample(pairs: Sequence[Pair]) -> Sequence[Pair]:
    """The pairs to tokenize: all of them, or a limited number from all over the corpus."""
    characters = sum(len(source) + len(target) for source, target in pairs)
    return pairs[:: max(1, -(-len(pairs) // MAX_TOKENIZED_PAIRS), -(-characters // MAX_TOKENIZED_CHARACTERS))]


def token_lengths(pairs: Sequence[Pair], tokenizer: Tokenizer) -> TokenLengths:
    """The lengths of some pairs, in their order."""
    lengths: tuple[list[int], list[int]] = [], []
    unknown = [0, 0]
    # The ids of all texts at once would take many megabytes, so texts are tokenized in chunks.
    for start in range(0, len(pairs), _TEXTS_PER_CHUNK):
        texts = zip(*pairs[start : start + _TEXTS_PER_CHUNK], strict=True)
        for side, (item, reader) in enumerate(zip(texts, (tokenizer, tokenizer.target), strict=True)):
            encoded = reader.encode_ids(item)
            lengths[side].extend(len(ids) for ids in encoded)
            unknown[side] += sum(ids.count(reader.unk_id) for ids in encoded)
    return TokenLengths(tuple(lengths[0]), tuple(lengths[1]), (unknown[0], unknown[1]))


def in_tokens(
    statistics: CorpusStatistics, lengths: TokenLengths, max_ids: int | None = None
) -> CorpusStatistics:
    """Return the statistics with the token lengths of a `sample` of the pairs.

    max_ids: the limit of `short_enough`.
    """
    source, target = (
        replace(
            side,
            tokens=_lengths([count - 1 for count in counts]),
            unknown_rate=num_unknown / max(1, sum(counts) - len(counts)),
            tokenized=len(counts),
        )
        for side, counts, num_unknown in zip(
            (statistics.source, statistics.target),
            (lengths.sources, lengths.targets),
            lengths.unknown,
            strict=True,
        )
    )
    pairs_of_lengths = zip(lengths.sources, lengths.targets, strict=True)
    fit = None if max_ids is None else sum(max(pair) <= max_ids for pair in pairs_of_lengths)
    return replace(statistics, source=source, target=target, short_enough=fit)


def _in_characters(texts: list[str]) -> SideStatistics:
    return SideStatistics(_lengths([len(text) for text in texts]), None, None, 0)


def _lengths(values: list[int]) -> Lengths:
    values = sorted(values)
    low, high = values[0], values[-1]
    # Quantiles by nearest rank are lengths that occur, so whole numbers.
    percentile_95 = values[_rank(95, len(values))]
    # One text of thousands of characters must not squeeze all others into one bar.
    last_shown = min(high, max(2 * percentile_95, low + 1))
    width = -(-(last_shown - low + 1) // MAX_BINS)
    counts = Counter(min(value, last_shown) for value in values)
    bins = []
    for first in range(low, last_shown + 1, width):
        last = first + width - 1
        count = sum(counts[value] for value in range(first, last + 1))
        bins.append(HistogramBin(first, last, count))
    bins[-1] = HistogramBin(bins[-1].first, max(high, bins[-1].first), bins[-1].count)
    return Lengths(low, values[_rank(50, len(values))], percentile_95, high, tuple(bins))


def _rank(percent: int, count: int) -> int:
    return -(-percent * count // 100) - 1
