"""Settings of the whole process that hold while any of several blocks runs, in any thread."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

Undo = Callable[[], object]


class WhileAny:
    """A context manager for one setting of the process: the first block sets it, the last one undoes it.

    If each block restored the value before it, the setting of another block could remain.
    """

    def __init__(self, change: Callable[[], Undo]) -> None:
        """Prepare the setting: `change` sets it and returns a function that restores the value before."""
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
