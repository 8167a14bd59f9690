"""A search at several beam widths on a test set, in numbers. Loads no torch."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING, Any

from models.evaluation.beam_widths.step import Best, Step, step

if TYPE_CHECKING:
    from models.evaluation.figures import Figure

Steps = Mapping[str, int]  # segments by `Step`, which are all N of them


@dataclass(frozen=True)
class AtWidth:
    """One beam width on N segments."""

    width: int
    score: float | None  # mean; None if no segment is in the means
    length: float | None  # mean of tokens, end tokens included
    empty: int  # outputs without a text
    cut: int  # outputs that the length limit ended
    chrf: Figure
    bleu: Figure
    steps: Steps = field(default_factory=dict)  # from the width before; empty for the first one


@dataclass(frozen=True)
class Curve:
    """All widths of a search, narrowest first."""

    system: str
    settings: Mapping[str, Any]  # of the search, without its width
    segments: int  # N
    in_means: int  # those that have an output at every width
    reference_length: float  # mean of tokens, end tokens included
    points: tuple[AtWidth, ...]  # two or more
    overall: Steps  # from the narrowest to the widest


def steps(before: Sequence[Best], after: Sequence[Best]) -> Steps:
    """How many of N segments take which step."""
    found = Counter(step(one, other).value for one, other in zip(before, after, strict=True))
    return {each.value: found[each.value] for each in Step}


def in_means(outputs: Sequence[Sequence[Best]]) -> list[int]:
    """The places of the segments that have an output at every width."""
    return [at for at, found in enumerate(zip(*outputs, strict=True)) if all(map(_is_written, found))]


def means(outputs: Sequence[Best], places: Sequence[int]) -> tuple[float | None, float | None]:
    """Mean score and mean length of the outputs at some places; None of none."""
    if not places:
        return None, None
    chosen = [outputs[at] for at in places]
    return fmean(each.score for each in chosen), fmean(len(each.tokens) for each in chosen)


def _is_written(output: Best) -> bool:
    return math.isfinite(output.score)
