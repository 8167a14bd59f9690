"""The change of one output from one beam width to another. Imports no torch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from enum import Enum

from models.decoding.limits import DecodingError
from models.decoding.options import DecodingOptions
from models.decoding.strategies import description_of

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
