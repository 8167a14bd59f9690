"""Whether anybody still listens to what is done: long work asks, and ends where nobody does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class Listener(Protocol):
    """Who asked for something. Any thread may ask."""

    def is_absent(self) -> bool:
        """Whether they closed the stream that was to bring the answer, or did not come for it in time."""


_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def heard_by(listener: Listener | None) -> Iterator[None]:
    """What the block begins, in threads of its own too, is for that listener; None: always wanted."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def listener() -> Listener | None:
    """Who listens; None where nobody can tell."""
    return _LISTENER.get()
