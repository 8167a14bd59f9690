"""The memory budget of one pass, and the pauses between passes, for all kinds of decoding.

A server of many visitors needs both. `letting_others_run` sets the pause for a block; without it there is
none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

PASS_BYTES = 192 << 20  # the tensors of one pass, or of one batch of a search, may take this much


def rows_within(row_bytes: int, max_rows: int, num_passes: int = 1) -> int:
    """Return how many rows, 1 to `max_rows`, fit into the budget if `num_passes` passes run at once."""
    return max(1, min(max_rows, PASS_BYTES // (num_passes * max(1, row_bytes))))


def _do_nothing() -> None:
    """Do not pause: no other work waits."""


_pause: ContextVar[Callable[[], None]] = ContextVar("pause", default=_do_nothing)


@contextmanager
def letting_others_run(pause: Callable[[], None]) -> Iterator[None]:
    """Call `pause` between the passes of the block; it may wait, and may raise to end the work."""
    token = _pause.set(pause)
    try:
        yield
    finally:
        _pause.reset(token)


def let_others_run() -> None:
    """Call the pause of the surrounding `letting_others_run` block, if there is one."""
    _pause.get()()
