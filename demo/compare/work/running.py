"""Decodes the rows of a comparison one after the other, fast strategies first.

A row that fails shows a sentence; the other rows are decoded as well.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from demo.compare.work.rows import Row, RowState, outcome_of
from demo.i18n import later, say
from demo.widgets.captions.options import short_names
from demo.work.errors import failure_text
from demo.work.operator.caps import DEADLINE_SECONDS
from demo.work.requests.decode import DecodeRequest
from demo.work.running import Background
from demo.work.watch import Watch
from models.decoding.options import DecodingOptions
from models.decoding.trace import DecodingTrace
from models.errors import UnrolledError

if TYPE_CHECKING:
    from demo.work.context import AppContext

REPORT_SECONDS = 0.25  # seconds between two reports on a running row
ROW_SECONDS = DEADLINE_SECONDS / 2
TOTAL_SECONDS = 60.0  # the time of all rows together
NO_TIME = later("Not started: the earlier rows used up the time. Compare fewer at once.")

logger = logging.getLogger("unrolled")


@dataclass(frozen=True)
class RowsSnapshot:
    """The current state of all rows, and a part of the trace of each finished one."""

    rows: tuple[Row, ...]
    parts: tuple[Any, ...]
    finished: bool = False


def waiting_rows(options: Sequence[DecodingOptions]) -> list[Row]:
    """A row for each of the options, before it is decoded."""
    names = short_names(options)
    return [Row(of_row, name) for of_row, name in zip(options, names, strict=True)]


def decoding_order(rows: Sequence[Row]) -> list[int]:
    """The indices of the rows. Fast strategies come first, whatever the order of the table."""
    return sorted(range(len(rows)), key=lambda index: rows[index].strategy.slowness)


def run_rows(
    context: AppContext,
    requests: Sequence[DecodeRequest],
    part_of: Callable[[DecodingTrace], Any] = lambda trace: None,
    total_seconds: float = TOTAL_SECONDS,
) -> Generator[RowsSnapshot, None, None]:
    """Yield the state of all rows when a row ends, and several times a second while a row runs.

    No trace stays in memory beyond its row, except what `part_of` returns of it. Closing the iterator stops
    the running row.
    """
    rows = waiting_rows([request.settings for request in requests])
    parts: list[Any] = [None] * len(rows)
    yield RowsSnapshot(tuple(rows), tuple(parts))
    for name in dict.fromkeys(request.checkpoint for request in requests):
        _prepare(context, name)
    ends = time.monotonic() + total_seconds
    for index in decoding_order(rows):
        seconds = min(ROW_SECONDS, ends - time.monotonic())
        if seconds <= 0:
            rows[index] = replace(rows[index], state=RowState.FAILED, problem=say(NO_TIME))
            continue
        rows[index] = replace(rows[index], state=RowState.RUNNING)
        for row, trace in _run_row(context, requests[index], rows[index], Watch(seconds)):
            rows[index], parts[index] = row, None if trace is None else part_of(trace)
            yield RowsSnapshot(tuple(rows), tuple(parts))
    yield RowsSnapshot(tuple(rows), tuple(parts), finished=True)


def _prepare(context: AppContext, name: str) -> None:
    """Read the weights first, so that no row's time includes it; each row reports an error itself."""
    try:
        context.checkpoint(name)
    except UnrolledError as error:
        logger.info("%s", error)


def _run_row(
    context: AppContext, request: DecodeRequest, row: Row, watch: Watch
) -> Iterator[tuple[Row, DecodingTrace | None]]:
    """Yield the row while it runs, then its result."""

    def timed_decoding() -> tuple[DecodingTrace, float]:
        started = time.perf_counter()
        # `also_others=True` would add to the measured time.
        trace = context.decode(request, watch, also_others=False)
        return trace, 1000 * (time.perf_counter() - started)

    with Background(timed_decoding, watch.cancelled.set) as running:
        while not running.is_done(REPORT_SECONDS):
            yield replace(row, expanded=watch.expanded), None
    try:
        trace, milliseconds = running.result()
    except Exception as error:
        yield (
            replace(row, state=RowState.FAILED, problem=failure_text(error, "a row of a comparison")),
            None,
        )
    else:
        yield replace(row, state=RowState.DONE, outcome=outcome_of(trace, milliseconds)), trace
