"""Who may decode now: so many at once, the others in the order in which they came, each knowing its place."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition

from demo.i18n import later, say
from demo.operator.caps import MAX_QUEUE, MAX_RUNNING
from demo.requests.checks import RequestError
from demo.service.decoding.watch import Watch

LOOK = 0.5  # seconds between two looks of a waiting decoding at whether it was stopped
FULL = later(
    "The server has its hands full: every one of the {places} places in line is taken. Nothing is lost; "
    "try again in a minute."
)
LEFT = later("Stopped before its turn came; the result below is the one before.")


class LineFullError(RequestError):
    """Nobody more may wait."""


class Turns:
    """A waiting line before the processor, which the decodings of all visitors share.

    Not Gradio's queue, which tells nobody's place in words, and where nobody can stop what has not begun.
    """

    def __init__(self, running: int = MAX_RUNNING, waiting: int = MAX_QUEUE) -> None:
        self._free, self._longest = running, waiting
        self._waiting: deque[Watch] = deque()
        self._running = 0
        self._changed = Condition()

    @contextmanager
    def turn(self, watch: Watch) -> Iterator[None]:
        """Wait for a turn and hold it; `watch.ahead` tells meanwhile how many come before.

        Raises LineFullError if too many wait, RequestError if the watch is cancelled before its turn.
        """
        with self._changed:
            self._wait(watch)
            self._running += 1
        try:
            watch.started = time.monotonic()
            yield
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()

    def _wait(self, watch: Watch) -> None:
        if len(self._waiting) >= self._longest:
            raise LineFullError(say(FULL, places=self._longest))
        self._waiting.append(watch)
        try:
            while self._waiting[0] is not watch or self._running >= self._free:
                watch.ahead = self._waiting.index(watch) + self._running
                self._changed.wait(LOOK)
                if watch.cancelled.is_set():
                    raise RequestError(say(LEFT))
        finally:
            watch.ahead = 0
            self._waiting.remove(watch)
            self._changed.notify_all()
