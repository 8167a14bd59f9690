"""The memory budget of one pass, and the pauses between passes, for all kinds of decoding.

A server of many visitors needs both. `resting` sets the pause for a block; without it there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

PASS_BYTES = 192 << 20  # for the tensors of one pass, or of one batch of a search


def rows_within(row_bytes: int, most: int, share: int = 1) -> int:
    """Return how many rows, 1 to `most`, fit into the budget of one of `share` passes."""
    return max(1, min(most, PASS_BYTES // (share * max(1, row_bytes))))


def _go_on() -> None:
    """Do nothing: there is nothing else to wait for."""


_rest: ContextVar[Callable[[], None]] = ContextVar("rest", default=_go_on)


@contextmanager
def resting(rest: Callable[[], None]) -> Iterator[None]:
    """Call `rest` between the passes of the block; it may wait, and may raise to end the work."""
    token = _rest.set(rest)
    try:
        yield
    finally:
        _rest.reset(token)


def rest() -> None:
    """Pause between two passes."""
    _rest.get()()
