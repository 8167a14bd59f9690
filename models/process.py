"""Settings of the whole process, and its main memory: how much it holds, how it returns to the system."""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Callable
from contextlib import suppress
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


def return_freed_memory() -> None:
    """Return freed memory to the system; glibc keeps hundreds of megabytes after a large search.

    It takes some milliseconds. Without glibc it does nothing.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)


class FreedMemory:
    """Returns freed memory to the system during a search, because glibc would keep it.

    The tensors of a search grow from step to step, so freed blocks are too small for new tensors and the
    process grows: to ten times its size in a search of 2,000 steps. It has an effect only on Linux.
    """

    def __init__(self, max_growth: int = 32 << 20) -> None:
        """max_growth: bytes by which the process may grow before freed memory is returned."""
        self._max_growth, self._calls = max_growth, 0
        self._lowest = resident_bytes()

    def return_if_grown(self) -> None:
        """Return freed memory if the process has grown. Every eighth call measures it, which takes 10 us."""
        self._calls += 1
        if self._calls % 8:
            return
        resident = resident_bytes()
        if resident > self._lowest + self._max_growth:
            return_freed_memory()
            resident = self._lowest = resident_bytes()
        self._lowest = min(self._lowest, resident)


def resident_bytes() -> int:
    """The bytes of main memory that this process uses; 0 where the system does not report them."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * mmap.PAGESIZE
    except (OSError, ValueError, IndexError):
        return 0
