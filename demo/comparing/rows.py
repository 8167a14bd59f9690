"""Runs a comparison row by row, the quick ones first, and says how far it is.

A row that fails keeps its sentence; the others go on.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from contextvars import copy_context
from dataclasses import dataclass, replace

from demo.comparison.entries import Entry, State, outcome_of
from demo.comparison.names import short_names
from demo.context import AppContext
from demo.errors import CALM, EXPECTED
from demo.i18n import later, say
from demo.i18n.library import heard
from demo.limits import DEADLINE_SECONDS
from demo.request import DecodeRequest
from demo.watch import Watch
from models.decoding.trace import DecodingTrace

TICK = 0.25  # seconds between two looks at a row that runs
ROW_SECONDS = min(10.0, DEADLINE_SECONDS)
TOTAL_SECONDS = 60.0  # for all rows together
NO_TIME = later("Not started: the rows before it took all the time there is. Compare fewer at once.")
# Rows that may take long come last, whatever their place in the table.
SLOWNESS = {"mbr": 1, "exact": 2, "exhaustive": 3}

logger = logging.getLogger("unrolled")


@dataclass(frozen=True)
class Run:
    """All rows as they are now, and the traces of those that are done."""

    entries: tuple[Entry, ...]
    traces: tuple[DecodingTrace | None, ...]
    finished: bool = False


def run_rows(
    context: AppContext,
    requests: Sequence[DecodeRequest],
    row_seconds: float = ROW_SECONDS,
    total_seconds: float = TOTAL_SECONDS,
) -> Generator[Run, None, None]:
    """The state of all rows, each time that it changes. Closing the iterator stops the row that runs."""
    names = short_names([request.settings for request in requests])
    entries = [Entry(request.settings, name) for request, name in zip(requests, names, strict=True)]
    traces: list[DecodingTrace | None] = [None] * len(entries)
    yield Run(tuple(entries), tuple(traces))
    for name in dict.fromkeys(request.checkpoint for request in requests):
        _prepare(context, name)
    ends = time.monotonic() + total_seconds
    order = sorted(range(len(entries)), key=lambda at: SLOWNESS.get(entries[at].settings.strategy, 0))
    for at in order:
        seconds = min(row_seconds, ends - time.monotonic())
        if seconds <= 0:
            entries[at] = replace(entries[at], state=State.FAILED, problem=say(NO_TIME))
            continue
        entries[at] = replace(entries[at], state=State.RUNNING)
        for entry, trace in _run_row(context, requests[at], entries[at], Watch(seconds)):
            entries[at], traces[at] = entry, trace
            yield Run(tuple(entries), tuple(traces))
    yield Run(tuple(entries), tuple(traces), finished=True)


def _prepare(context: AppContext, name: str) -> None:
    """Read the weights now, so that no row's time holds it; what is wrong with them each row will say."""
    try:
        context.checkpoint(name)
    except EXPECTED as error:
        logger.info("%s", error)


def _run_row(
    context: AppContext, request: DecodeRequest, entry: Entry, watch: Watch
) -> Iterator[tuple[Entry, DecodingTrace | None]]:
    """The row while it runs, then as it ended."""

    def timed() -> tuple[DecodingTrace, float]:
        started = time.perf_counter()
        trace = context.decode(request, watch)
        return trace, 1000 * (time.perf_counter() - started)

    pool = ThreadPoolExecutor(1)
    running = pool.submit(copy_context().run, timed)
    try:
        while not _ended(running):
            yield replace(entry, expanded=watch.expanded), None
    finally:  # the visitor may have gone, and need not be waited for
        watch.cancelled.set()
        pool.shutdown(wait=False)
    try:
        trace, milliseconds = running.result()
    except EXPECTED as error:
        yield replace(entry, state=State.FAILED, problem=heard(str(error))), None
    except Exception:
        logger.exception("a row of a comparison failed")
        yield replace(entry, state=State.FAILED, problem=say(CALM)), None
    else:
        yield replace(entry, state=State.DONE, outcome=outcome_of(trace, milliseconds)), trace


def _ended(running: Future[tuple[DecodingTrace, float]]) -> bool:
    try:
        running.exception(timeout=TICK)
    except NotYet:
        return False
    return True
