"""A long task in its own thread, so that its caller can report progress meanwhile."""

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
