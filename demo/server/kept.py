"""Keeps what is the same for everybody: the page as Gradio made it, and files as they travel.

To make a page takes as long as a decoding; to read and pack the files of a first visit ten times as long.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from demo.i18n import language
from demo.server.gate.provenance import HOST_HEADERS
from demo.server.gate.routes import LASTING

ROOM = 16_000_000  # bytes that one layer keeps; beyond, what was not asked for for longest goes
NAMES = (*HOST_HEADERS, "x-forwarded-proto")  # headers that Gradio builds the addresses in a page from
READ = {"page", "deep_link", "all_endpoints"}  # parameters that it reads; all others are for scripts
PARTLY = ("range", "if-none-match", "if-modified-since")  # headers of who has something already

Key = tuple[str, ...]


class _Answer(NamedTuple):
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes


class Kept:
    """ASGI layer: answers for what is inside once that has answered a request with the same key."""

    def __init__(self, app: ASGIApp, key: Callable[[Scope], Key | None], room: int = ROOM) -> None:
        """`key` says all that an answer depends on; None: it is not kept."""
        self._app, self._key, self._room = app, key, room
        self._answers: OrderedDict[Key, _Answer] = OrderedDict()  # the latest that was asked for is the last
        self._held = 0  # bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the ASGI specification."""
        key = self._key(scope) if scope["type"] == "http" and scope["method"] == "GET" else None
        if key is None:
            await self._app(scope, receive, send)
        elif key in self._answers:
            self._answers.move_to_end(key)
            headers, body = self._answers[key]
            # A list of its own: layers outside add to it.
            await send({"type": "http.response.start", "status": 200, "headers": [*headers]})
            await send({"type": "http.response.body", "body": body})
        else:
            await self._app(scope, receive, self._keeping(key, send))

    def _keeping(self, key: Key, send: Send) -> Send:
        """Sends an answer, and keeps it once it was whole, if it is for nobody in particular."""
        headers: tuple[tuple[bytes, bytes], ...] | None = None
        pieces: list[bytes] = []

        async def keep(message: Message) -> None:
            nonlocal headers
            if message["type"] == "http.response.start":
                given = tuple((name.lower(), value) for name, value in message["headers"])
                fit = message["status"] == 200 and b"set-cookie" not in dict(given)
                headers = given if fit else None
            elif headers is not None:
                pieces.append(message.get("body", b""))
                if not message.get("more_body", False):
                    self._hold(key, _Answer(headers, b"".join(pieces)))
            await send(message)

        return keep

    def _hold(self, key: Key, answer: _Answer) -> None:
        if len(answer.body) > self._room or key in self._answers:
            return
        self._answers[key] = answer
        self._held += len(answer.body)
        while self._held > self._room:
            _, gone = self._answers.popitem(last=False)
            self._held -= len(gone.body)


def page_key(scope: Scope) -> Key | None:
    """Of the page, unless its address asks Gradio for more."""
    if scope["path"] != "/":
        return None
    if READ & parse_qs(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True).keys():
        return None
    headers = Headers(scope=scope)
    named = (",".join(headers.getlist(name)) for name in NAMES)
    return (language(), scope["scheme"], scope.get("root_path", ""), *named)


def file_key(scope: Scope) -> Key | None:
    """Of a file that is asked for as a whole, as it is packed for whoever asks."""
    headers = Headers(scope=scope)
    if not scope["path"].startswith(LASTING) or scope.get("query_string") or any(map(headers.get, PARTLY)):
        return None
    accepted = headers.get("accept-encoding", "")
    return scope["path"], next((name for name in ("br", "gzip") if name in accepted), "")
