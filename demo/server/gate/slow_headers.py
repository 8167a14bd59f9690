"""Connections whose request does not arrive: uvicorn waits forever for the rest of a header."""

from __future__ import annotations

import asyncio
from typing import Any

HEADER_SECONDS = 20.0  # time for all headers of a request; see `Pace` for its body


def timely(protocol: type[Any], seconds: float = HEADER_SECONDS) -> type[Any]:
    """uvicorn's `protocol`, extended to close a connection on which no request begins in time."""

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
