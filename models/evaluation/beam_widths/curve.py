"""A search at several beam widths: how its outputs change, and its numbers. Imports no torch."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from statistics import fmean
from typing import TYPE_CHECKING, Any

from models.decoding.limits import DecodingError
from models.decoding.options import DecodingOptions
from models.decoding.strategies import description_of

if TYPE_CHECKING:
    from models.evaluation.systems import MetricScore
    from models.metrics.significance import Difference


DEFAULT_WIDTHS = (1, 2, 4, 8, 16, 32, 64)
GREEDY = "greedy"  # the same as a beam of width 1
SCORE_DIGITS, CHRF_DIGITS = 3, 1  # decimals on the page; values that are equal there count as equal


@dataclass(frozen=True)
class BestOutput:
    """The best output of one segment at one beam width."""

    tokens: tuple[int, ...]  # T, with the end token if there is one; empty if nothing was written
    score: float  # the value by which the search ranks it
    chrf: float | None  # against its references, 0 to 100; None if it has no reference


class WidthChange(str, Enum):
    """How an output at one width differs from that at another."""

    SAME = "same"  # the same tokens
    WORSE = "worse"  # a higher score and a lower chrF
    BETTER = "better"  # a higher score and a higher chrF
    LEVEL = "level"  # a higher score and the same chrF, or no chrF to compare
    NOT_HIGHER = "lower"  # another output, whose score is the same or lower


def change_between(before: BestOutput, after: BestOutput) -> WidthChange:
    """Compare the outputs at two widths."""
    if before.tokens == after.tokens:
        return WidthChange.SAME
    if round(after.score, SCORE_DIGITS) <= round(before.score, SCORE_DIGITS):
        return WidthChange.NOT_HIGHER
    if before.chrf is None or after.chrf is None:
        return WidthChange.LEVEL
    change = round(after.chrf, CHRF_DIGITS) - round(before.chrf, CHRF_DIGITS)
    return WidthChange.WORSE if change < 0 else WidthChange.BETTER if change > 0 else WidthChange.LEVEL


def options_by_width(
    options: DecodingOptions, widths: Iterable[int] = DEFAULT_WIDTHS
) -> dict[int, DecodingOptions]:
    """The same search at each width that its other settings allow. Greedy search becomes a beam search.

    The result is empty for a strategy that has no beam, or that samples.
    """
    if options.strategy == GREEDY:
        options = replace(options, strategy="beam")
    strategy = description_of(options.strategy)
    if "beam_size" not in strategy.settings or strategy.draws:
        return {}
    by_width = {}
    for width in widths:
        with suppress(DecodingError):  # the number of groups may not divide the width
            by_width[width] = replace(options, beam_size=width)
    return by_width


def indices_by_width(searches: Sequence[DecodingOptions]) -> list[int]:
    """The indices of the largest group of searches that differ only in beam width, narrowest first."""
    groups: dict[tuple[object, ...], dict[int, int]] = {}
    other_settings = [field.name for field in fields(DecodingOptions) if field.name != "beam_size"]
    for index, options in enumerate(searches):
        width = 1 if options.strategy == GREEDY else options.beam_size
        for beam_search in options_by_width(options, [width]).values():
            key = tuple(getattr(beam_search, name) for name in other_settings)
            groups.setdefault(key, {}).setdefault(width, index)
    largest = max(groups.values(), key=len, default={})
    return [largest[width] for width in sorted(largest)]


def score_text(value: float) -> str:
    """A score as sentences show it, with a true minus sign."""
    return f"{value:.{SCORE_DIGITS}f}".replace("-", "−")


def chrf_text(value: float) -> str:
    """A chrF as sentences show it."""
    return f"{value:.{CHRF_DIGITS}f}"


ChangeCounts = Mapping[str, int]  # segments by `WidthChange`; their sum is N


@dataclass(frozen=True)
class WidthPoint:
    """One beam width on N segments."""

    width: int
    score: float | None  # mean; None if no segment is in the means
    length: float | None  # mean number of tokens, end tokens included
    empty: int  # outputs without a text
    cut: int  # outputs that were cut off at the length limit
    chrf: MetricScore
    bleu: MetricScore
    width_changes: ChangeCounts = field(default_factory=dict)  # from the width before; empty for the first


@dataclass(frozen=True)
class BeamCurve:
    """All widths of a search, narrowest first."""

    system: str
    settings: Mapping[str, Any]  # settings of the search, without its width
    segments: int  # N
    in_means: int  # segments that have an output at every width
    reference_length: float  # mean number of tokens, end tokens included
    points: tuple[WidthPoint, ...]  # two or more
    overall: ChangeCounts  # changes from the narrowest width to the widest


@dataclass(frozen=True)
class WorseSentence:
    """A segment whose output has a higher score and a lower chrF at the widest beam than at the narrowest."""

    line: int
    source: str
    reference: str  # the first one
    outputs: tuple[str, str]  # narrowest and widest beam, like `scores` and `chrf`
    scores: tuple[float, float]
    chrf: tuple[float, float]


@dataclass(frozen=True)
class WidthOutput:
    """The output for one segment at one width."""

    output: str
    score: float | None  # None if nothing was written
    chrf: float


@dataclass(frozen=True)
class WidthCurve(BeamCurve):
    """A curve with its findings and all outputs, as a report has it."""

    findings: tuple[str, ...]  # Messages
    difference: Difference  # chrF of the widest beam minus that of the narrowest
    worst: tuple[WorseSentence, ...]  # the largest fall of chrF first
    outputs: Mapping[str, tuple[WidthOutput, ...]]  # N, by width


def count_changes(before: Sequence[BestOutput], after: Sequence[BestOutput]) -> ChangeCounts:
    """Count the N segments by the change of their output."""
    counts = Counter(change_between(*pair).value for pair in zip(before, after, strict=True))
    return {kind.value: counts[kind.value] for kind in WidthChange}


def in_means(outputs: Sequence[Sequence[BestOutput]]) -> list[int]:
    """The indices of the segments that have an output at every width."""
    rows = enumerate(zip(*outputs, strict=True))
    return [index for index, row in rows if all(math.isfinite(output.score) for output in row)]


def means(outputs: Sequence[BestOutput], indices: Sequence[int]) -> tuple[float | None, float | None]:
    """Mean score and mean length of the outputs at some indices; None if there is no index."""
    if not indices:
        return None, None
    selected = [outputs[index] for index in indices]
    return fmean(output.score for output in selected), fmean(len(output.tokens) for output in selected)
