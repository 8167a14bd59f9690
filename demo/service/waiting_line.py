"""A waiting line: a few run at once, the others wait in the order of coming and know their place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

from demo.requests.checks import RequestError

Member = TypeVar("Member")


class WaitingLine(Generic[Member]):
    """Whoever uses it from several threads holds a lock meanwhile."""

    def __init__(self, running: int, waiting: int, full: str) -> None:
        """At most so many run and so many wait; `full` says that no more may, of `count` who do."""
        self._most_running, self._most_waiting, self._full = running, waiting, full
        self._running: list[Member] = []
        self._waiting: list[Member] = []

    def __iter__(self) -> Iterator[Member]:
        """All in the order of coming, as they are now: whoever goes through them may let some leave."""
        return iter([*self._running, *self._waiting])

    def enter(self, member: Member) -> None:
        """Wait, behind all others. Raises RequestError in a full line."""
        if len(self._waiting) >= self._most_waiting:
            raise RequestError("waiting_line_full", self._full, count=len(self._waiting))
        self._waiting.append(member)

    def place(self, member: Member) -> int:
        """1 is the next, 0 does not wait."""
        return self._waiting.index(member) + 1 if member in self._waiting else 0

    def begin(self) -> list[Member]:
        """Those who run from now on: whoever came first, as many as there is room for."""
        room = max(0, self._most_running - len(self._running))
        begun, self._waiting = self._waiting[:room], self._waiting[room:]
        self._running += begun
        return begun

    def leave(self, member: Member) -> None:
        """Wait or run no more."""
        (self._waiting if member in self._waiting else self._running).remove(member)
