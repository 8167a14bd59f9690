"""One comparison a visitor: who asks for another does not wait for the one before to end."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Generator
from contextlib import closing
from threading import Lock
from typing import TypeVar

from demo.operator.caps import MAX_STOPPABLE

Value = TypeVar("Value")


class Latest:
    """Which comparison of each visitor is the latest."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._turns: OrderedDict[str, object] = OrderedDict()  # by session, oldest first

    def __len__(self) -> int:
        return len(self._turns)

    def follow(self, session: str, values: Generator[Value, None, None]) -> Generator[Value, None, None]:
        """The values, until the same visitor asks for others: these end then, without a word."""
        turn = object()
        with self._lock:
            self._turns.pop(session, None)
            self._turns[session] = turn
            while len(self._turns) > MAX_STOPPABLE:
                self._turns.popitem(last=False)
        try:
            with closing(values):
                for value in values:
                    if self._turns.get(session, turn) is not turn:
                        return
                    yield value
        finally:
            with self._lock:
                if self._turns.get(session) is turn:
                    del self._turns[session]
