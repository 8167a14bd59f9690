"""The rows of a comparison, decoded one after the other, fast strategies first.

A row that fails shows a sentence; the others go on.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from demo.errors import failure_text
from demo.i18n import later, say
from demo.operator.caps import DEADLINE_SECONDS
from demo.requests.decode import DecodeRequest
from demo.service.background import Background
from demo.service.comparison.entries import Entry, RowState, outcome_of
from demo.service.comparison.names import short_names
from demo.service.decoding.watch import Watch
from models.decoding.options import DecodingOptions
from models.decoding.trace import DecodingTrace
from models.errors import UnrolledError

if TYPE_CHECKING:
    from demo.service.context import AppContext

REPORT_SECONDS = 0.25  # seconds between two reports on a running row
ROW_SECONDS = min(10.0, DEADLINE_SECONDS)
TOTAL_SECONDS = 60.0  # the time of all rows together
NO_TIME = later("Not started: the earlier rows used up the time. Compare fewer at once.")

logger = logging.getLogger("unrolled")


@dataclass(frozen=True)
class RowsSnapshot:
    """The current state of all rows, and the traces of finished ones."""

    entries: tuple[Entry, ...]
    traces: tuple[DecodingTrace | None, ...]
    finished: bool = False


def waiting_entries(strategies: Sequence[DecodingOptions]) -> list[Entry]:
    """A row for each strategy, before it is decoded."""
    names = short_names(strategies)
    return [Entry(settings, name) for settings, name in zip(strategies, names, strict=True)]


def decoding_order(entries: Sequence[Entry]) -> list[int]:
    """The indices of the rows: those that may take long come last, in any order of the table."""
    return sorted(range(len(entries)), key=lambda index: entries[index].strategy.slowness)


def run_rows(
    context: AppContext,
    requests: Sequence[DecodeRequest],
    row_seconds: float = ROW_SECONDS,
    total_seconds: float = TOTAL_SECONDS,
) -> Generator[RowsSnapshot, None, None]:
    """Yield the state of all rows at each change. Closing the iterator stops the running row."""
    entries = waiting_entries([request.settings for request in requests])
    traces: list[DecodingTrace | None] = [None] * len(entries)
    yield RowsSnapshot(tuple(entries), tuple(traces))
    for name in dict.fromkeys(request.checkpoint for request in requests):
        _prepare(context, name)
    ends = time.monotonic() + total_seconds
    for index in decoding_order(entries):
        seconds = min(row_seconds, ends - time.monotonic())
        if seconds <= 0:
            entries[index] = replace(entries[index], state=RowState.FAILED, problem=say(NO_TIME))
            continue
        entries[index] = replace(entries[index], state=RowState.RUNNING)
        for entry, trace in _run_row(context, requests[index], entries[index], Watch(seconds)):
            entries[index], traces[index] = entry, trace
            yield RowsSnapshot(tuple(entries), tuple(traces))
    yield RowsSnapshot(tuple(entries), tuple(traces), finished=True)


def _prepare(context: AppContext, name: str) -> None:
    """Read the weights first, so that no row's time includes it; each row reports an error itself."""
    try:
        context.checkpoint(name)
    except UnrolledError as error:
        logger.info("%s", error)


def _run_row(
    context: AppContext, request: DecodeRequest, entry: Entry, watch: Watch
) -> Iterator[tuple[Entry, DecodingTrace | None]]:
    """Yield the row while it runs, then its result."""

    def timed_decoding() -> tuple[DecodingTrace, float]:
        started = time.perf_counter()
        # `also_without_words=True` would add to the measured time.
        trace = context.decode(request, watch, also_without_words=False)
        return trace, 1000 * (time.perf_counter() - started)

    with Background(timed_decoding, watch.cancelled.set) as running:
        while not running.is_done(REPORT_SECONDS):
            yield replace(entry, expanded=watch.expanded), None
    try:
        trace, milliseconds = running.result()
    except Exception as error:
        yield (
            replace(entry, state=RowState.FAILED, problem=failure_text(error, "a row of a comparison")),
            None,
        )
    else:
        yield replace(entry, state=RowState.DONE, outcome=outcome_of(trace, milliseconds)), trace
