"""A search at several beam widths on a test set, in numbers. Imports no torch."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING, Any

from models.evaluation.beam_widths.change import BestOutput, WidthChange, change_between

if TYPE_CHECKING:
    from models.evaluation.systems import MetricScore
    from models.metrics.significance import Difference

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
