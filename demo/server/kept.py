"""Keeps what is the same for everybody: the page as Gradio made it, and files as they travel.

To make a page takes as long as a decoding; to read and pack the files of a first visit ten times as long.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from demo.i18n import language
from demo.server.gate.provenance import HOST_HEADERS
from demo.server.gate.routes import LASTING
from models.lru_cache import LruCache

ROOM = 16_000_000  # bytes that one layer keeps; beyond, what was not asked for for longest goes
NAMES = (*HOST_HEADERS, "x-forwarded-proto")  # headers that Gradio builds the addresses in a page from
READ = {"page", "deep_link", "all_endpoints"}  # parameters that it reads; all others are for scripts
MADE = {"/", "/config", "/config/"}  # the page, and its description for programs
PARTLY = ("range", "if-none-match", "if-modified-since")  # headers of who has something already

Key = tuple[str, ...]


class _Answer(NamedTuple):
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes


class Kept:
    """ASGI layer: answers for what is inside once that has answered a request with the same key.

    Whoever asks meanwhile waits for that answer: as many visitors as come at once cost what one does.
    """

    def __init__(self, app: ASGIApp, key: Callable[[Scope], Key | None], room: int = ROOM) -> None:
        """`key` says all that an answer depends on; None: it is not kept."""
        self._app, self._key, self._room = app, key, room
        self._answers: LruCache[Key, _Answer] = LruCache(room, size=lambda answer: len(answer.body))
        self._making: dict[Key, asyncio.Event] = {}  # set as soon as it is known whether an answer is kept

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the ASGI specification."""
        key = self._key(scope) if scope["type"] == "http" and scope["method"] == "GET" else None
        if key is not None and key in self._making:
            await self._making[key].wait()
        if key is None:
            await self._app(scope, receive, send)
        elif (answer := self._answers.get(key)) is not None:
            # A new list, since outer layers add headers to it.
            await send({"type": "http.response.start", "status": 200, "headers": [*answer.headers]})
            await send({"type": "http.response.body", "body": answer.body})
        else:
            known = self._making.setdefault(key, asyncio.Event())
            try:
                await self._app(scope, receive, self._keeping(key, send, known))
            finally:
                self._known(key, known)

    def _known(self, key: Key, known: asyncio.Event) -> None:
        """Let go on who waited: they find the answer, or ask for one of their own."""
        known.set()
        if self._making.get(key) is known:
            del self._making[key]

    def _keeping(self, key: Key, send: Send, known: asyncio.Event) -> Send:
        """Sends an answer, and keeps it once it was whole, if it is for nobody in particular.

        What may be kept is sent when it is whole: nobody waits for whoever reads slowly.
        """
        start: Message | None = None  # of an answer that may be kept
        pieces: list[bytes] = []

        async def keep(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                named = {name.lower() for name, _ in message["headers"]}
                if message["status"] == 200 and b"set-cookie" not in named:
                    start = message
                    return
                self._known(key, known)
            elif start is not None:
                pieces.append(message.get("body", b""))
                whole = not message.get("more_body", False)
                if not whole and sum(map(len, pieces)) <= self._room:
                    return
                body = b"".join(pieces)
                if whole and len(body) <= self._room:
                    headers = tuple((name.lower(), value) for name, value in start["headers"])
                    self._answers[key] = _Answer(headers, body)
                self._known(key, known)
                await send(start)
                start, message = None, {**message, "body": body}
            await send(message)

        return keep


def page_key(scope: Scope) -> Key | None:
    """Of the page or its description, unless the address asks Gradio for more."""
    if scope["path"] not in MADE:
        return None
    if READ & parse_qs(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True).keys():
        return None
    headers = Headers(scope=scope)
    named = (",".join(headers.getlist(name)) for name in NAMES)
    return (scope["path"], language(), scope["scheme"], scope.get("root_path", ""), *named)


def file_key(scope: Scope) -> Key | None:
    """Of a file that is asked for as a whole, as it is packed for whoever asks."""
    headers = Headers(scope=scope)
    if not scope["path"].startswith(LASTING) or scope.get("query_string") or any(map(headers.get, PARTLY)):
        return None
    accepted = headers.get("accept-encoding", "")
    return scope["path"], next((name for name in ("br", "gzip") if name in accepted), "")
