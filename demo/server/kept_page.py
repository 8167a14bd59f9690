"""Keeps the page as Gradio made it: the same for everybody, and as long in the making as a decoding."""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from demo.i18n import language
from demo.server.gate.provenance import HOST_HEADERS

MOST = 8  # pages, of 1 MB at most: a server has a few names, and few languages
NAMES = (*HOST_HEADERS, "x-forwarded-proto")  # headers that Gradio builds the addresses in a page from
READ = {
    "page",
    "deep_link",
    "all_endpoints",
}  # parameters of the address that it reads; the rest is for scripts

Key = tuple[str, ...]


class _Kept(NamedTuple):
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes


class KeptPage:
    """ASGI layer: answers for what is inside once that has made the page for the same name and language."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._pages: OrderedDict[Key, _Kept] = OrderedDict()  # the one that was asked for last is the last

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the ASGI specification."""
        key = _key(scope)
        if key is None:
            await self._app(scope, receive, send)
        elif key in self._pages:
            self._pages.move_to_end(key)
            headers, body = self._pages[key]
            # A list of its own: layers outside add to it.
            await send({"type": "http.response.start", "status": 200, "headers": [*headers]})
            await send({"type": "http.response.body", "body": body})
        else:
            await self._app(scope, receive, self._keeping(key, send))

    def _keeping(self, key: Key, send: Send) -> Send:
        """Sends a page, and keeps it if it came whole and is for nobody in particular."""
        headers: tuple[tuple[bytes, bytes], ...] | None = None

        async def keep(message: Message) -> None:
            nonlocal headers
            if message["type"] == "http.response.start":
                names = {name.lower() for name, _ in message["headers"]}
                fit = message["status"] == 200 and b"set-cookie" not in names
                headers = tuple(map(tuple, message["headers"])) if fit else None
            elif headers is not None and not message.get("more_body", False):
                self._pages[key] = _Kept(headers, message["body"])
                if len(self._pages) > MOST:
                    self._pages.popitem(last=False)
            else:
                headers = None
            await send(message)

        return keep


def _key(scope: Scope) -> Key | None:
    """What a page depends on; None for what is none, or for one that the address asks more of."""
    if scope["type"] != "http" or scope["method"] != "GET" or scope["path"] != "/":
        return None
    if READ & parse_qs(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True).keys():
        return None
    headers = Headers(scope=scope)
    named = (",".join(headers.getlist(name)) for name in NAMES)
    return (language(), scope["scheme"], scope.get("root_path", ""), *named)
