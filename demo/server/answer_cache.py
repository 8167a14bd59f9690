"""A cache of packed answers that are the same for all visitors: the page as Gradio builds it, and files.

Building a page takes as long as a decoding; reading and packing the files of a first visit ten times as long.
"""

from __future__ import annotations

import asyncio
from typing import NamedTuple
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from demo.i18n import wanted_language
from demo.server.gate.provenance import HOST_HEADERS
from demo.server.gate.routes import IMMUTABLE_FILES
from models.lru_cache import LruCache

CACHE_BYTES = 16_000_000
ADDRESS_HEADERS = (*HOST_HEADERS, "x-forwarded-proto")  # Gradio builds the page's addresses from them
READ_PARAMETERS = {"page", "deep_link", "all_endpoints"}  # Gradio reads these; all others are for scripts
PAGE_PATHS = {"/", "/config", "/config/"}  # the page, and its description for programs
# A client sends one of these if it has the file or a part of it.
PARTIAL_HEADERS = ("range", "if-none-match", "if-modified-since")

Key = tuple[str, ...]


class _Answer(NamedTuple):
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes


class AnswerCache:
    """ASGI layer that answers a request from the cache, once the app has answered one with the same key.

    A request that comes meanwhile waits for that answer, so many visitors at once cost as much as one.
    """

    def __init__(self, app: ASGIApp, room: int = CACHE_BYTES) -> None:
        """`room` is the most bytes of all answers."""
        self._app, self._room = app, room
        self._answers: LruCache[Key, _Answer] = LruCache(room, size=lambda answer: len(answer.body))
        self._making: dict[Key, asyncio.Event] = {}  # set once it is clear whether the answer is cached

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the ASGI specification."""
        key = _key(scope) if scope["type"] == "http" and scope["method"] == "GET" else None
        if key is not None and key in self._making:
            await self._making[key].wait()
        if key is None:
            await self._app(scope, receive, send)
        elif (answer := self._answers.get(key)) is not None:
            # A new list, since outer layers add headers to it.
            await send({"type": "http.response.start", "status": 200, "headers": [*answer.headers]})
            await send({"type": "http.response.body", "body": answer.body})
        else:
            settled = self._making.setdefault(key, asyncio.Event())
            try:
                await self._app(scope, receive, self._keeping(key, send, settled))
            finally:
                self._settle(key, settled)

    def _settle(self, key: Key, settled: asyncio.Event) -> None:
        """Wake the requests that waited: they find the answer in the cache, or ask the app themselves."""
        settled.set()
        if self._making.get(key) is settled:
            del self._making[key]

    def _keeping(self, key: Key, send: Send, settled: asyncio.Event) -> Send:
        """Wrap `send` so that a complete answer without cookies is cached.

        Such an answer is sent when it is complete, so that no request waits for a slow client.
        """
        start: Message | None = None  # the first message of an answer that may be cached
        pieces: list[bytes] = []

        async def keep(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                header_names = {name.lower() for name, _ in message["headers"]}
                if message["status"] == 200 and b"set-cookie" not in header_names:
                    start = message
                    return
                self._settle(key, settled)
            elif start is not None:
                pieces.append(message.get("body", b""))
                whole = not message.get("more_body", False)
                if not whole and sum(map(len, pieces)) <= self._room:
                    return
                body = b"".join(pieces)
                if whole and len(body) <= self._room:
                    headers = tuple((name.lower(), value) for name, value in start["headers"])
                    self._answers[key] = _Answer(headers, body)
                self._settle(key, settled)
                await send(start)
                start, message = None, {**message, "body": body}
            await send(message)

        return keep


def _key(scope: Scope) -> Key | None:
    """All that an answer depends on; None for one that must not be cached."""
    headers = Headers(scope=scope)
    accepted = headers.get("accept-encoding", "")
    packing = next((name for name in ("br", "gzip") if name in accepted), "")
    query = scope.get("query_string", b"").decode("latin-1")
    if scope["path"] in PAGE_PATHS and not READ_PARAMETERS & parse_qs(query, keep_blank_values=True).keys():
        addresses = (",".join(headers.getlist(name)) for name in ADDRESS_HEADERS)
        return (packing, scope["path"], wanted_language(query, headers), scope["scheme"], *addresses)
    if scope["path"].startswith(IMMUTABLE_FILES) and not query and not any(map(headers.get, PARTIAL_HEADERS)):
        return packing, scope["path"]
    return None
