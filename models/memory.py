"""The main memory of this process: how much it holds, and how what is freed returns to the system."""

from __future__ import annotations

import ctypes
import mmap
from contextlib import suppress


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
