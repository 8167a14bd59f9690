"""One comparison for each visitor: a new one ends the one before."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from threading import Lock
from typing import TypeVar

from demo.work.operator.caps import MAX_STOPPABLE
from models.lru_cache import LruCache

Value = TypeVar("Value")


@dataclass(eq=False)
class _Turn:
    """One comparison of a visitor."""

    superseded: bool = False  # True: another comparison replaced this one; it may be over


class LatestComparisons:
    """The latest comparison of each visitor."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._turns: LruCache[str, _Turn] = LruCache(MAX_STOPPABLE)  # keys: sessions

    def __len__(self) -> int:
        return len(self._turns)

    def follow(
        self, session: str, values: Generator[Value, None, None], nothing: Value
    ) -> Generator[Value, None, None]:
        """Yield the values until the same visitor begins another comparison; then yield `nothing` and end.

        Gradio sends the last value again when a handler ends, possibly after values of the next comparison.
        """
        turn = _Turn()
        with self._lock:
            earlier = self._turns.pop(session)
            if earlier is not None:
                earlier.superseded = True
            self._turns[session] = turn
        try:
            with closing(values):
                for value in values:
                    if turn.superseded:
                        yield nothing
                        return
                    yield value
        finally:
            with self._lock:
                if self._turns.get(session) is turn:
                    self._turns.pop(session)
