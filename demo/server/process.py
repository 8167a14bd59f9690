"""Tuning of the server process: garbage collection, the allocator, proxies, a warm start, slow connections.

Imports nothing of the project, since it is imported first.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Timer
from typing import Any
from urllib.request import getproxies_environment

M_ARENA_MAX = -8  # its number in <malloc.h>
HEADER_SECONDS = 20.0  # time for all headers of a request; see `Pace` for its body
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


def timely(protocol: type[Any], seconds: float = HEADER_SECONDS) -> type[Any]:
    """uvicorn's `protocol`, extended to close a connection on which no request begins in time.

    uvicorn itself waits forever for the rest of a header.
    """

    class Timely(protocol):  # type: ignore[misc]
        _too_late: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:
            super().connection_made(transport)
            self._watch()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._watch()

        def connection_lost(self, error: Exception | None) -> None:
            self._stop_timer()
            super().connection_lost(error)

        def _watch(self) -> None:
            """Start the timer, which further bytes do not restart."""
            if self.cycle is not None and not self.cycle.response_complete:
                self._stop_timer()
            elif self._too_late is None:
                self._too_late = asyncio.get_running_loop().call_later(seconds, self._close)

        def _stop_timer(self) -> None:
            if self._too_late is not None:
                self._too_late.cancel()
                self._too_late = None

        def _close(self) -> None:
            self._too_late = None
            self.transport.close()

    return Timely
