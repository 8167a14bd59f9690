"""How the process that serves the page is tuned: garbage collection, the allocator, a warm start.

Loads nothing of the project: it is imported before everything else.
"""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Timer

M_ARENA_MAX = -8  # of <malloc.h>
WARM_UP_AFTER = 0.5  # seconds: the first page is served first


@contextmanager
def uncollected() -> Iterator[None]:
    """Import without garbage collection: what is imported stays, and searching it takes half a second."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def share_arenas() -> None:
    """Let the threads of glibc's allocator share two arenas: each keeps what was freed in it for itself."""
    with suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL("libc.so.6").mallopt(M_ARENA_MAX, 2)


def warm_up_soon(load: Callable[[], None]) -> None:
    """Load what the first decoding needs, and keep that and the page out of every later collection."""

    def warm_up() -> None:
        load()
        gc.collect()
        gc.freeze()

    timer = Timer(WARM_UP_AFTER, warm_up)
    timer.daemon = True
    timer.start()
