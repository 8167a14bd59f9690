"""An event loop whose time is simulated: a pause takes none, and no machine is too slow for a deadline."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _Skipping(selectors.DefaultSelector):
    """Waits for nothing, and moves the time on to the end of the wait."""

    now = 0.0

    def select(self, timeout: float | None = None) -> Any:
        self.now += timeout or 0.0
        return super().select(None if timeout is None else 0)


class SimulatedTime:
    """The clock and the runner of coroutines that wait only for one another and for time."""

    def __init__(self) -> None:
        self._selector = _Skipping()

    def monotonic(self) -> float:
        """Return the seconds since the start."""
        return self._selector.now

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine as `asyncio.run` does."""
        loop = asyncio.SelectorEventLoop(self._selector)
        loop.time = self.monotonic  # type: ignore[method-assign]
        return loop.run_until_complete(work)
