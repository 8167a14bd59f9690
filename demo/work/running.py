"""Long work: each task runs in its own thread, reports its progress and can be stopped."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING, Generic, TypeVar

from demo.i18n import say
from demo.i18n.display import number_text, prefixes
from demo.work.operator.caps import MAX_STOPPABLE
from demo.work.requests.decode import DecodeRequest
from demo.work.watch import Watch
from models.decoding.trace import DecodingTrace
from models.lru_cache import LruCache

if TYPE_CHECKING:
    from demo.work.context import AppContext

FIRST_REPORT_SECONDS, REPORT_SECONDS = 0.4, 0.25  # seconds until the first report, and between two
WAITING_REPORT_SECONDS = 1.0  # seconds, while in the queue: a full server must not be busy with progress

Result = TypeVar("Result")


class Background(Generic[Result]):
    """A running task, in the context (language, owner) of the request that began it.

    Leaving the `with` block early asks the task to stop, without waiting for it: when a page closes, the
    event loop closes its handler and must not block.
    """

    def __init__(self, task: Callable[[], Result], stop: Callable[[], None] = lambda: None) -> None:
        """`stop` asks the task to end early; by default it runs to its end."""
        self._stop = stop
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="background")
        self._running = self._pool.submit(copy_context().run, task)

    def __enter__(self) -> Background[Result]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._running.done():
            self._stop()
        self._pool.shutdown(wait=False)

    def is_done(self, seconds: float) -> bool:
        """Whether the task is done within that time."""
        return not wait([self._running], seconds).not_done

    async def done_soon(self, seconds: float) -> bool:
        """Whether the task is done within that time, without blocking the event loop."""
        loop, finished = asyncio.get_running_loop(), asyncio.Event()

        def on_done(_: object) -> None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(finished.set)

        self._running.add_done_callback(on_done)
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(finished.wait(), seconds)
        return self._running.done()

    def result(self) -> Result:
        """Wait for the task and return its result, or raise its error."""
        return self._running.result()


class RunningDecodings:
    """The decoding, or the comparison, of each visitor that runs now; this visitor alone can stop it."""

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
