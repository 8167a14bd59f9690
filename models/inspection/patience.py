"""What long looks into a network do between two passes: let others go on, and end if nobody waits any more.

Whoever asks says how, for the block in which it asks; without that there is nothing to do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


def _go_on() -> None:
    """Nobody else is there."""


_rest: ContextVar[Callable[[], None]] = ContextVar("rest", default=_go_on)


@contextmanager
def resting(rest: Callable[[], None]) -> Iterator[None]:
    """While the block runs, `rest` is called between passes; it may wait, and may raise to end the look."""
    token = _rest.set(rest)
    try:
        yield
    finally:
        _rest.reset(token)


def rest() -> None:
    """To be called between two passes."""
    _rest.get()()
