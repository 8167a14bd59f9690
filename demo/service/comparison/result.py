"""A comparison as far as it is: what was asked, and what each decoding came to."""

from __future__ import annotations

from dataclasses import dataclass

from demo.figures.attention import AttentionMap
from demo.requests.compare import ComparisonRequest, Side
from demo.service.comparison.entries import Entry
from models.decoding.judge.scored_text import ScoredText
from models.decoding.options import DecodingOptions


@dataclass(frozen=True)
class StrategyComparison:
    """One text in several ways, as far as it is."""

    request: ComparisonRequest
    entries: tuple[Entry, ...]
    reference: ScoredText | None = None
    finished: bool = False
    run: str = ""  # the same for as long as one press of the button lasts


@dataclass(frozen=True)
class PairSide:
    """One half of a pair, as far as it is."""

    side: Side
    title: str
    entry: Entry
    attention: AttentionMap | None = None
    attention_caption: str = ""


@dataclass(frozen=True)
class PairComparison:
    """Two decodings by one strategy."""

    settings: DecodingOptions
    sides: tuple[PairSide, PairSide]
    note: str = ""  # what a reader should know before comparing
    finished: bool = False
    run: str = ""  # as above
