"""Where a system is good and where it is not: by length, unknown words, score, and words seen in training."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from models.errors import Message
from models.evaluation.by_length import SHORTEST_SENTENCES, length_bins, source_length, source_unit
from models.evaluation.figures import Figure, figure
from models.evaluation.systems import Result
from models.metrics.bootstrap import Matches, Sentences, share
from models.metrics.vectorised import Sums
from models.metrics.words import words

FEWEST, MOST_BINS = 20, 12  # segments in a bin; bins
SCORES = (0, 20, 40, 60, 80, 100)
FREQUENCIES = (0, 1, 5, 20, 100, 1000)  # lower ends, of how often a word stood in the training data


@dataclass(frozen=True)
class Bin:
    """Some segments, or some words."""

    label: str
    count: int
    figures: Mapping[str, Figure]  # by a system's name; none for a system that has nothing here


@dataclass(frozen=True)
class Breakdown:
    """A test set taken apart by one property."""

    name: str
    title: Message
    measure: str  # what the figures are; a Message, where that is no name
    bins: tuple[Bin, ...]


def by_source_length(results: Sequence[Result]) -> Breakdown:
    """chrF of sources of like length, in words or characters."""
    sources = results[0].segments.sources
    unit = source_unit(sources, "")
    lengths = [source_length(source, unit) for source in sources]
    fewest = max(FEWEST, len(sources) // MOST_BINS)
    edges = length_bins(lengths, fewest, SHORTEST_SENTENCES if unit == "words" else 1)
    title = Message("by_source_length", "by source length in {unit}", unit=Message(unit, unit))
    return Breakdown(
        "length",
        title,
        "chrF",
        _bins(
            results,
            [
                (_range(low, high), [index for index, length in enumerate(lengths) if low <= length <= high])
                for low, high in edges
            ],
        ),
    )


def by_unknown_words(results: Sequence[Result]) -> Breakdown | None:
    """chrF of sources with none, one, or more words that the first system's vocabulary lacks."""
    first = next((result for result in results if result.written), None)
    if first is None:
        return None
    counts = [len(written.unknown) for written in first.written]
    groups = [("0", lambda n: n == 0), ("1", lambda n: n == 1), ("≥ 2", lambda n: n > 1)]
    title = Message("by_unknown_words", "by unknown words in the source, for {system}", system=first.name)
    return Breakdown("unknown", title, "chrF", _bins(results, _grouped(counts, groups)))


def by_sentence_score(results: Sequence[Result]) -> Breakdown:
    """How many outputs have which sentence chrF: figures are shares of all, in per cent."""
    edges = list(pairwise(SCORES))
    bins = []
    for low, high in edges:
        held = {
            result.name: np.array(
                [
                    [low <= score < high or (high == 100 and score >= 100), 1]
                    for score in result.sentence_chrf
                ],
                dtype=float,
            )
            for result in results
        }
        hits = {name: figure("share", Matches(rows, share)) for name, rows in held.items()}
        bins.append(Bin(_range(low, high), int(sum(rows[:, 0].sum() for rows in held.values())), hits))
    return Breakdown(
        "score",
        Message("by_sentence_score", "by sentence chrF"),
        Message("share_of_outputs", "share of outputs in %"),
        tuple(bins),
    )


def by_training_frequency(results: Sequence[Result], seen: Mapping[str, int]) -> Breakdown:
    """F1 of words by how often they stood in the training targets (as compare-mt, Neubig et al. 2019).

    A word is right where output and reference have it, as often as both do; of several references the first.
    """
    edges = [*zip(FREQUENCIES, [*(frequency - 1 for frequency in FREQUENCIES[1:]), None], strict=True)]
    segments, language = results[0].segments, results[0].language
    wanted = [Counter(words(segment.references[0], language)) for segment in segments.all]
    bins = []
    for low, high in edges:

        def within(word: str, low: int = low, high: int | None = high) -> bool:
            return low <= seen.get(word, 0) and (high is None or seen.get(word, 0) <= high)

        hits = {}
        for result in results:
            rows = [
                _matches(Counter(words(output, language)), reference, within)
                for output, reference in zip(result.outputs, wanted, strict=True)
            ]
            table = np.array(rows, dtype=float)
            if table.sum():
                hits[result.name] = figure("F1", Sentences(table, _f1))
        count = sum(number for reference in wanted for word, number in reference.items() if within(word))
        if hits:
            bins.append(Bin(_range(low, high), count, hits))
    title = Message("by_training_frequency", "by how often a word stood in the training data")
    return Breakdown("frequency", title, Message("f1_of_words", "F1 of words in %"), tuple(bins))


def _matches(
    written: Counter[str], wanted: Counter[str], within: Callable[[str], bool]
) -> tuple[int, int, int]:
    """Words of a bin in both, in the output, and in the reference."""
    both = written & wanted
    parts = (both, written, wanted)
    first, second, third = (sum(n for word, n in part.items() if within(word)) for part in parts)
    return first, second, third


def _f1(sums: Sums) -> float:
    both, written, wanted = (float(number) for number in sums)
    return 200 * both / (written + wanted) if written + wanted else 0.0


def _grouped(
    values: Sequence[int], groups: Iterable[tuple[str, Callable[[int], bool]]]
) -> list[tuple[str, list[int]]]:
    return [(label, [index for index, value in enumerate(values) if holds(value)]) for label, holds in groups]


def _bins(results: Sequence[Result], groups: Iterable[tuple[str, list[int]]]) -> tuple[Bin, ...]:
    return tuple(
        Bin(label, len(places), {result.name: figure("chrF", result.chrf.of(places)) for result in results})
        for label, places in groups
        if places
    )


def _range(low: int, high: int | None) -> str:
    if high is None:
        return f"≥ {low:,}"
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"
