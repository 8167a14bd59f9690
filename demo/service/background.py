"""A task that takes long: it runs in a thread of its own while whoever waits for it tells how far it is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from contextvars import copy_context
from types import TracebackType
from typing import Generic, TypeVar

Result = TypeVar("Result")


class Background(Generic[Result]):
    """A task under way, in the language of the request that began it.

    Leaving the `with` block before it is done asks it to stop, and does not wait for that: a page that closes
    has its handler closed by the event loop, which must not wait for a step.
    """

    def __init__(self, task: Callable[[], Result], stop: Callable[[], None] = lambda: None) -> None:
        """`stop` asks the task to end early; without it the task goes on by itself."""
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
        """Whether it is done now, or within that time."""
        return not wait([self._running], seconds).not_done

    async def done_soon(self, seconds: float) -> bool:
        """The same for an event loop, which goes on meanwhile."""
        loop, done = asyncio.get_running_loop(), asyncio.Event()

        def tell(_: object) -> None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(done.set)

        self._running.add_done_callback(tell)
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(done.wait(), seconds)
        return self._running.done()

    def result(self) -> Result:
        """What the task returned, or raises what it raised. Waits for it."""
        return self._running.result()
