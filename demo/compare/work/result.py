"""Comparisons, complete or in progress: the request and the rows."""

from __future__ import annotations

from dataclasses import dataclass

from demo.compare.work.rows import Row
from demo.widgets.figures.attention import AttentionMap
from demo.work.requests.compare import ComparisonRequest, Side
from models.decoding.judge.verdict import ScoredText
from models.decoding.options import DecodingOptions


@dataclass(frozen=True)
class StrategyComparison:
    """One text decoded in several ways."""

    request: ComparisonRequest
    rows: tuple[Row, ...]
    reference: ScoredText | None = None
    finished: bool = False
    run: str = ""  # an id for each press of the button


@dataclass(frozen=True)
class PairSide:
    """One side of a pair."""

    side: Side
    title: str
    row: Row
    attention: AttentionMap | None = None
    attention_caption: str = ""


@dataclass(frozen=True)
class PairComparison:
    """Two decodings by one strategy."""

    settings: DecodingOptions
    sides: tuple[PairSide, PairSide]
    note: str = ""  # a warning before comparing
    finished: bool = False
    run: str = ""  # an id, see `StrategyComparison`
