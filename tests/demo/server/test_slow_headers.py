"""A connection that never completes its request."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from demo.server.process import timely

ASK = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


class Protocol:
    """The needed part of uvicorn's protocols: a request begins with an empty line."""

    cycle: Any = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        if data.endswith(b"\r\n\r\n"):
            self.cycle = SimpleNamespace(response_complete=data != ASK)

    def connection_lost(self, error: Exception | None) -> None:
        """Accept the end of a connection."""


@pytest.mark.parametrize(
    ("pieces", "closed"),
    [
        ([], True),
        ([b"GET / HT"], True),
        ([b"G", b"E", b"T"], True),
        ([b"GET / HT", ASK], False),  # it is being answered
        ([b"over\r\n\r\n", b"GET / HT"], True),  # the second request of a connection
    ],
)
def test_a_connection_without_a_whole_request_is_closed(pieces: list[bytes], closed: bool) -> None:
    async def connect() -> bool:
        over = asyncio.get_running_loop().create_future()
        protocol = timely(Protocol, 0.0)()
        protocol.connection_made(SimpleNamespace(close=lambda: over.set_result(None)))
        for piece in pieces:
            protocol.data_received(piece)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        result = over.done()
        protocol.connection_lost(None)
        return result

    assert asyncio.run(connect()) is closed
