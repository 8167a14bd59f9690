"""How much memory one pass may hold, and how long work lets others go on: one budget for all that decodes.

A server of many visitors needs both. Whoever runs the work says how it gives way, for the block in which it
runs; without that there is nothing to do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

PASS_BYTES = 192 << 20  # that the tensors of one pass, or of one batch of a search, may take together


def rows_within(row_bytes: int, most: int, share: int = 1) -> int:
    """How many rows of so many bytes fit into the budget, from 1 to `most`; of `share` passes at a time."""
    return max(1, min(most, PASS_BYTES // (share * max(1, row_bytes))))


def _go_on() -> None:
    """Nobody else is there."""


_rest: ContextVar[Callable[[], None]] = ContextVar("rest", default=_go_on)


@contextmanager
def resting(rest: Callable[[], None]) -> Iterator[None]:
    """While the block runs, `rest` is called between passes; it may wait, and may raise to end the work."""
    token = _rest.set(rest)
    try:
        yield
    finally:
        _rest.reset(token)


def rest() -> None:
    """To be called between two passes."""
    _rest.get()()
