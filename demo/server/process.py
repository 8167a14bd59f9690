"""Tuning of the server process: garbage collection, the allocator, proxies, a warm start.

Imports nothing of the project, since it is imported first.
"""

from __future__ import annotations

import ctypes
import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Timer
from urllib.request import getproxies_environment

M_ARENA_MAX = -8  # its number in <malloc.h>
WARM_UP_DELAY_SECONDS = 0.5  # the first page is served before


@contextmanager
def without_collection() -> Iterator[None]:
    """Import without garbage collection, which would take half a second and free nothing."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def share_arenas() -> None:
    """Let all threads share two arenas of glibc's allocator, since each arena keeps what was freed in it."""
    with suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL("libc.so.6").mallopt(M_ARENA_MAX, 2)


def reach_without_proxy(host: str) -> None:
    """Let Gradio ask its own server whether it has started, where the environment names a proxy."""
    proxies = getproxies_environment()
    if proxies:
        os.environ["no_proxy"] = ",".join((proxies.get("no", ""), "localhost", host))


def warm_up_soon(load: Callable[[], None]) -> None:
    """Load what the first decoding needs soon, and exclude it and the page from later collections."""

    def warm_up() -> None:
        load()
        gc.collect()
        gc.freeze()

    timer = Timer(WARM_UP_DELAY_SECONDS, warm_up)
    timer.daemon = True
    timer.start()
