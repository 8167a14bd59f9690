"""Comparisons, complete or in progress: their rows, with outcomes and search errors.

Numbers and strings only; imports neither torch nor Gradio.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from demo.i18n import later, say
from demo.i18n.display import number_text
from demo.widgets.figures.attention import AttentionMap
from demo.work.requests.compare import ComparisonRequest, Side
from models.decoding.description import Description
from models.decoding.judge.verdict import ScoredText
from models.decoding.options import DecodingOptions
from models.decoding.search.strategy import LengthNormalizer
from models.decoding.status import Stop
from models.decoding.strategies import description_of
from models.decoding.trace import BeamNode, DecodingTrace

# Nats: half of the last digit shown. Two computations of the same output differ by rounding.
LOG_PROB_TOLERANCE = 0.005
SCORE_TOLERANCE = 0.0005  # the same for a score, which is shown with one digit more


class RowState(str, Enum):
    """The state of a row."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class Standing(str, Enum):
    """The standing of a row's search, by its log-probability."""

    MODE = "mode"  # nothing is more likely, and a complete search proves it
    BEST = "best"  # nothing more likely is known
    SEARCH_ERROR = "search_error"
    OWN_AIM = "own_aim"  # less likely, but best by the score that the row ranks by
    CONSTRAINED = "constrained"  # less likely, and forbidden to write the more likely output
    DRAW = "draw"  # no search for the most likely output


@dataclass(frozen=True)
class DecodingOutcome:
    """The first hypothesis of a decoding, and the texts that it ranked lower."""

    text: str
    token_ids: tuple[int, ...]  # T, the end token included if there is one
    tokens: tuple[str, ...]  # T, as the tokenizer spells them
    log_probs: tuple[float, ...]  # T, in nats
    log_prob: float  # their sum, in nats
    score: float  # length-normalised by the settings of the strategy
    ended: bool  # False: cut off at the length limit
    milliseconds: float
    expanded: int | None  # prefixes that the search has expanded
    stop: Stop
    lower: tuple[tuple[int, str], ...] = ()  # the ranks, from 2, and texts of other finished hypotheses


@dataclass(frozen=True)
class Row:
    """A decoding with these options, and its outcome."""

    options: DecodingOptions
    name: str  # short and unique
    state: RowState = RowState.WAITING
    outcome: DecodingOutcome | None = None  # the outcome of a finished row
    problem: str = ""  # a sentence about a failure
    expanded: int = 0  # prefixes expanded so far, while running

    @property
    def strategy(self) -> Description:
        """The description of its strategy."""
        return description_of(self.options.strategy)


@dataclass(frozen=True)
class StrategyComparison:
    """One text decoded in several ways."""

    request: ComparisonRequest
    rows: tuple[Row, ...]
    reference: ScoredText | None = None
    finished: bool = False
    run: str = ""  # an id for each press of the button
    translates: bool = False  # the checkpoint writes in another language than it reads

    @property
    def translated(self) -> str:
        """Return the source if the checkpoint translates it."""
        return self.request.text if self.translates else ""


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


@dataclass(frozen=True)
class Mark:
    """The standing of a row's search in words, for its log-probability."""

    standing: Standing
    text: str
    gap: float  # nats below the most likely output known
    better: tuple[int, ...] = ()  # ids of the output that a search error missed


def outcome_of(trace: DecodingTrace, milliseconds: float) -> DecodingOutcome:
    """The outcome of a trace that has a hypothesis."""
    best = trace.hypotheses[0]
    path: tuple[BeamNode, ...] = trace.path(best.node)
    return DecodingOutcome(
        text=best.text,
        token_ids=best.token_ids,
        tokens=tuple(node.token for node in path),
        log_probs=tuple(node.log_prob for node in path),
        log_prob=best.log_prob,
        score=best.score,
        ended=best.ended,
        milliseconds=milliseconds,
        expanded=trace.exploration.expanded if trace.exploration else None,
        stop=trace.exploration.stop if trace.exploration else Stop.COMPLETE,
        lower=tuple(
            (rank, hypothesis.text)
            for rank, hypothesis in enumerate(trace.hypotheses, 1)
            if rank > 1 and hypothesis.ended
        ),
    )


def done(rows: Sequence[Row]) -> Iterator[tuple[Row, DecodingOutcome]]:
    """The rows that have an outcome, with their outcomes."""
    for row in rows:
        if row.outcome is not None:
            yield row, row.outcome


def proven_mode(rows: Sequence[Row]) -> tuple[Row, DecodingOutcome] | None:
    """The row of a complete unconstrained search, with the mode that it found; None if there is none."""
    for row, outcome in done(rows):
        free = not row.options.constraints() and not row.options.normalises()
        if row.strategy.complete and outcome.stop is Stop.COMPLETE and free:
            return row, outcome
    return None


def likeliest(rows: Sequence[Row]) -> tuple[Row, DecodingOutcome] | None:
    """The row with the most likely output; among equals a search before a draw, the earlier first."""
    result = [pair for pair in done(rows) if not pair[0].options.constraints()] or list(done(rows))
    if not result:
        return None
    most = max(outcome.log_prob for _, outcome in result)
    close = [pair for pair in result if most - pair[1].log_prob <= LOG_PROB_TOLERANCE]
    return min(close, key=lambda pair: pair[0].strategy.draws)


def marks(rows: Sequence[Row], reference: ScoredText | None = None) -> list[Mark | None]:
    """The mark of each row; None for a row without an outcome.

    `reference` is a human translation, which may be more likely than every output.
    """
    best, mode = likeliest(rows), proven_mode(rows)
    if best is None:
        return [None] * len(rows)
    benchmark = _Benchmark(best[1].log_prob, later("the best found"), best[1].token_ids)
    if mode is not None:
        most = max((best[1], mode[1]), key=lambda outcome: outcome.log_prob)
        benchmark = _Benchmark(most.log_prob, later("the mode"), most.token_ids)
    elif reference is not None and reference.log_prob > benchmark.log_prob + LOG_PROB_TOLERANCE:
        benchmark = _Benchmark(reference.log_prob, later("the reference"), reference.token_ids)
    return [None if row.outcome is None else _mark(row, row.outcome, rows, benchmark) for row in rows]


@dataclass(frozen=True)
class _Benchmark:
    """The most likely output known, by which rows are judged."""

    log_prob: float
    name: str  # its name in sentences
    token_ids: tuple[int, ...]


def _mark(row: Row, outcome: DecodingOutcome, rows: Sequence[Row], benchmark: _Benchmark) -> Mark:
    gap, beaten_by = max(0.0, benchmark.log_prob - outcome.log_prob), benchmark.name
    behind = say("{nats} nats below {rival}", nats=number_text(gap), rival=say(beaten_by))
    level = gap <= LOG_PROB_TOLERANCE
    options = row.options
    if row.strategy.draws:
        luck = say("as likely as {rival}", rival=say(beaten_by)) if level else behind
        return Mark(Standing.DRAW, say("random samples, not a search for the best: {luck}", luck=luck), gap)
    if level and beaten_by == "the mode":
        return Mark(Standing.MODE, say("found the mode"), gap)
    if level:
        unproven = row.strategy.complete and outcome.stop is not Stop.COMPLETE
        return Mark(Standing.BEST, say("the best so far") if unproven else say("the best found"), gap)
    if options.constraints():
        return Mark(Standing.CONSTRAINED, say("constrained: {behind}", behind=behind), gap)
    if options.normalises():
        better = _better_by_its_own_score(outcome, options, rows)
        if better is None:
            return Mark(Standing.OWN_AIM, say("{behind}, but best by its own score", behind=behind), gap)
        lead, name, missed_ids = better
        return Mark(
            Standing.SEARCH_ERROR,
            say("search error: {name} has a score {lead} higher", name=name, lead=number_text(lead, 3)),
            gap,
            missed_ids,
        )
    missed = (
        say("missed the mode by {nats} nats", nats=number_text(gap)) if beaten_by == "the mode" else behind
    )
    return Mark(Standing.SEARCH_ERROR, say("search error: {what}", what=missed), gap, benchmark.token_ids)


def _better_by_its_own_score(
    outcome: DecodingOutcome, options: DecodingOptions, rows: Sequence[Row]
) -> tuple[float, str, tuple[int, ...]] | None:
    """The lead of another row's output by this row's score, its name and ids; None if no output is better."""
    normalizer = LengthNormalizer(options.normalizer, options.length_penalty)

    def score(other: DecodingOutcome) -> float:
        return normalizer(other.log_prob, len(other.token_ids))

    own_score = score(outcome)
    leads = [
        (score(other) - own_score, row.name, other.token_ids)
        for row, other in done(rows)
        if not row.options.constraints() and other.token_ids != outcome.token_ids
    ]
    lead = max(leads, default=(0.0, "", ()))
    return lead if lead[0] > SCORE_TOLERANCE else None
