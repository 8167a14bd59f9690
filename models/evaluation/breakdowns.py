"""Scores broken down by length, unknown words, sentence score, and frequency in training.

Also the words and word sequences that a system writes too often or too rarely.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from operator import and_, or_
from typing import TypeAlias

import numpy as np

from models.errors import Message
from models.evaluation.by_length import MAX_SHORT_WORDS, length_bins, source_length, source_unit
from models.evaluation.systems import MetricScore, SystemResult, metric_score
from models.metrics.bootstrap import Matches, SentenceStatistics, Sums, share
from models.metrics.dissection import MAX_ORDER
from models.metrics.sentence import words

MIN_SEGMENTS = 20  # the fewest segments of a bin
MAX_BREAKDOWN_BINS = 12
SCORE_EDGES = (0, 20, 40, 60, 80, 100)
FREQUENCY_EDGES = (0, 1, 5, 20, 100, 1000)  # the lowest frequency of each bin
NGrams: TypeAlias = Counter[tuple[str, ...]]
MAX_NGRAMS = 20  # the most n-grams of each list


@dataclass(frozen=True)
class BreakdownBin:
    """A group of segments or words."""

    label: str
    count: int
    metric_scores: Mapping[str, MetricScore]  # keys: names of systems that have values


@dataclass(frozen=True)
class Breakdown:
    """A test set broken down by one property."""

    name: str
    title: Message
    measure: str  # a metric's name, or a Message
    bins: tuple[BreakdownBin, ...]


def by_source_length(results: Sequence[SystemResult]) -> Breakdown:
    """chrF by the length of the source, in words or characters."""
    sources = results[0].segments.sources
    unit = source_unit(sources, "")
    lengths = [source_length(source, unit) for source in sources]
    min_segments = max(MIN_SEGMENTS, len(sources) // MAX_BREAKDOWN_BINS)
    edges = length_bins(lengths, min_segments, MAX_SHORT_WORDS if unit == "words" else 1)
    title = Message("by_source_length", "by source length in {unit}", unit=Message(unit, unit))
    return Breakdown("length", title, "chrF", _bins(results, lengths, edges))


def by_unknown_words(results: Sequence[SystemResult]) -> Breakdown | None:
    """chrF by the number of words of the source that the first system's vocabulary lacks."""
    first = next((result for result in results if result.output_scores), None)
    if first is None:
        return None
    counts = [len(scores.unknown) for scores in first.output_scores]
    title = Message("by_unknown_words", "by unknown words in the source, for {system}", system=first.name)
    return Breakdown("unknown", title, "chrF", _bins(results, counts, [(0, 0), (1, 1), (2, None)]))


def by_sentence_score(results: Sequence[SystemResult]) -> Breakdown:
    """The share of outputs by sentence chrF, in per cent."""
    bins = []
    for low, high in pairwise(SCORE_EDGES):
        rows_of = {
            result.name: np.array(
                [(low <= score < high or score >= high == 100, 1) for score in result.sentence_chrf]
            )
            for result in results
        }
        scores = {name: metric_score("share", Matches(rows, share)) for name, rows in rows_of.items()}
        count = int(sum(rows[:, 0].sum() for rows in rows_of.values()))
        bins.append(BreakdownBin(_range(low, high), count, scores))
    return Breakdown(
        "score",
        Message("by_sentence_score", "by sentence chrF"),
        Message("share_of_outputs", "share of outputs in %"),
        tuple(bins),
    )


def by_training_frequency(results: Sequence[SystemResult], training_counts: Mapping[str, int]) -> Breakdown:
    """F1 of words by their frequency in the training targets (as compare-mt, Neubig et al. 2019).

    A word counts as right as often as it occurs in both the output and the first reference.
    """
    edges = [*zip(FREQUENCY_EDGES, [*(low - 1 for low in FREQUENCY_EDGES[1:]), None], strict=True)]
    segments, language = results[0].segments, results[0].language
    reference_counts = [Counter(words(segment.references[0], language)) for segment in segments.all]
    bins = []
    for low, high in edges:

        def within(word: str, low: int = low, high: int | None = high) -> bool:
            return _is_within(training_counts.get(word, 0), low, high)

        scores = {}
        for result in results:
            rows = [
                _matches(Counter(words(output, language)), reference, within)
                for output, reference in zip(result.outputs, reference_counts, strict=True)
            ]
            table = np.array(rows, dtype=float)
            if table.sum():
                scores[result.name] = metric_score("F1", SentenceStatistics(table, _f1))
        count = sum(
            number for reference in reference_counts for word, number in reference.items() if within(word)
        )
        if scores:
            bins.append(BreakdownBin(_range(low, high), count, scores))
    title = Message("by_training_frequency", "by how often a word stood in the training data")
    return Breakdown("frequency", title, Message("f1_of_words", "F1 of words in %"), tuple(bins))


def _matches(output: Counter[str], reference: Counter[str], within: Callable[[str], bool]) -> list[int]:
    """Count the words of a bin in both, in the output, and in the reference."""
    parts = (output & reference, output, reference)
    return [sum(n for word, n in part.items() if within(word)) for part in parts]


def _f1(sums: Sums) -> float:
    common, output, reference = (float(number) for number in sums)
    return 200 * common / (output + reference) if output + reference else 0.0


def _bins(
    results: Sequence[SystemResult], values: Sequence[int], edges: Iterable[tuple[int, int | None]]
) -> tuple[BreakdownBin, ...]:
    """chrF of the segments whose value, one for each segment, lies between two edges."""
    bins = []
    for low, high in edges:
        indices = [index for index, value in enumerate(values) if _is_within(value, low, high)]
        if indices:
            scores = {result.name: metric_score("chrF", result.chrf.subset(indices)) for result in results}
            bins.append(BreakdownBin(_range(low, high), len(indices), scores))
    return tuple(bins)


def _is_within(value: int, low: int, high: int | None) -> bool:
    return low <= value and (high is None or value <= high)


def _range(low: int, high: int | None) -> str:
    if high is None:
        return f"≥ {low:,}"
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"


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
