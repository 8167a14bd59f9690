"""What holds for the whole process while any of several blocks runs, in whatever threads and order."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

Undo = Callable[[], object]


class WhileAny:
    """A context manager for one setting of the process: the first who enters sets it, the last undoes it.

    Blocks that each put back what they found would leave the setting of whoever entered last.
    """

    def __init__(self, change: Callable[[], Undo]) -> None:
        """`change` sets it and returns what puts back what was there."""
        self._change = change
        self._undo: Undo = lambda: None
        self._blocks = 0
        self._changing = Lock()

    def __enter__(self) -> None:
        with self._changing:
            if not self._blocks:
                self._undo = self._change()
            self._blocks += 1

    def __exit__(self, *_: object) -> None:
        with self._changing:
            self._blocks -= 1
            if not self._blocks:
                self._undo()
