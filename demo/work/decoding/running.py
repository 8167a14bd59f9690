"""Long decodings: each runs in its own thread, reports its progress and can be stopped."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator
from functools import partial
from threading import Lock

from demo.i18n import say
from demo.i18n.display import number_text, prefixes
from demo.work.background import Background
from demo.work.context import AppContext
from demo.work.operator.caps import MAX_STOPPABLE
from demo.work.requests.decode import DecodeRequest
from demo.work.watch import Watch
from models.decoding.trace import DecodingTrace
from models.lru_cache import LruCache

FIRST_REPORT_SECONDS, REPORT_SECONDS = 0.4, 0.25  # seconds until the first report, and between two
WAITING_REPORT_SECONDS = 1.0  # seconds, while in the queue: a full server must not be busy with progress


class RunningDecodings:
    """The decoding of each visitor that runs now, which this visitor alone can stop."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._watches: LruCache[str, Watch] = LruCache(MAX_STOPPABLE)  # keys: sessions

    def __len__(self) -> int:
        return len(self._watches)

    def begin(self, session: str) -> Watch:
        """Return a watch for a new decoding, and stop the visitor's earlier one if it still runs."""
        watch = Watch()
        with self._lock:
            earlier = self._watches.pop(session)
            self._watches[session] = watch
        if earlier is not None:
            earlier.supersede()
        return watch

    def end(self, session: str, watch: Watch) -> None:
        """Forget a finished decoding."""
        with self._lock:
            if self._watches.get(session) is watch:
                self._watches.pop(session)

    def stop(self, session: str) -> None:
        """End the visitor's decoding, if there is one, with what it has."""
        with self._lock:
            watch = self._watches.get(session)
        if watch is not None:
            watch.cancelled.set()


async def in_steps(
    context: AppContext, request: DecodeRequest, watch: Watch
) -> AsyncGenerator[str | DecodingTrace, None]:
    """Yield sentences about the progress, then the trace. Closing the iterator stops the decoding.

    Raises what `AppContext.decode` raises.
    """
    with Background(partial(context.decode, request, watch), watch.cancelled.set) as decoding:
        timeout = FIRST_REPORT_SECONDS
        while not await decoding.done_soon(timeout):
            yield progress_text(watch)
            timeout = WAITING_REPORT_SECONDS if watch.decodings_ahead else REPORT_SECONDS
        yield decoding.result()


def progress_text(watch: Watch) -> str:
    """A sentence about the progress of a decoding, or about the number that come before it."""
    if watch.decodings_ahead:
        return say(
            "{count} ahead of you. Yours starts automatically; press Stop to leave the queue.",
            count=watch.decodings_ahead,
        )
    seconds = time.monotonic() - watch.started
    if watch.is_loading:
        return say("Loading the checkpoint into memory, {seconds} s.", seconds=number_text(seconds, 0))
    if not watch.steps:
        return say("Getting ready, {seconds} s.", seconds=number_text(seconds, 0))
    fields = {"prefixes": prefixes(watch.expanded), "seconds": number_text(seconds, 0)}
    if watch.best is None:
        return say("The model has scored {prefixes}; nothing is finished yet, {seconds} s.", **fields)
    return say(
        "The model has scored {prefixes}; best so far {nats} nats, {seconds} s.",
        **fields,
        nats=number_text(watch.best),
    )
