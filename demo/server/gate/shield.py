"""ASGI layer before Gradio that limits bodies, closes unused routes and adds headers."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from demo.server.gate.provenance import Provenance, Refusal
from demo.server.gate.rates import CallKind, Rates, ip_group_of, visitor_address
from demo.server.gate.routes import (
    COMPONENT_CALLS,
    MCP,
    SHORT_CALLS,
    UPLOAD,
    does_more_than_read,
    is_served,
    undecided_route,
)
from demo.server.gate.uploads import SPARE_DISK_BYTES, Uploads
from demo.work.operator.caps import MAX_BODY_BYTES, MAX_UPLOAD_BYTES
from demo.work.operator.settings import ServerSettings
from models.environment import on_space

logger = logging.getLogger("unrolled")

# Gradio's page has inline scripts and compiles its components' scripts; other sites may neither send nor
# receive anything. Hugging Face shows a Space in a frame of its own site.
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "media-src 'self' data: blob:",
        "worker-src 'self' blob:",
        "connect-src 'self' data: blob:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'self' https://huggingface.co https://*.hf.space",
    )
)
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}

SHORT_BODY_BYTES = 4096  # the most bytes of a call that only names a decoding
BODY_SECONDS = 60.0  # time for the body of one request
GRACE_SECONDS, MIN_BYTES_PER_SECOND = 10.0, 4096  # after GRACE_SECONDS, a body needs this rate
MAX_INCOMPLETE_OF_ONE = 100  # incomplete requests of one address, which may be a school
# Bodies of the largest size that may arrive at once, for all visitors. Files, which take long, count apart.
HELD_FILES, HELD_BODIES = 4, 64
# The kinds of POST requests that are counted here, by path.
CALL_KINDS = {UPLOAD: CallKind.UPLOAD, **dict.fromkeys(COMPONENT_CALLS, CallKind.SMALL)}
CALL_KINDS |= dict.fromkeys(MCP, CallKind.DECODING)

TOO_LARGE: Refusal = (413, "The request is too large.")
TOO_SLOW: Refusal = (408, "The request took too long to arrive.")
BROKEN_OFF: Refusal = (400, "The request ended before it was complete.")
BUSY: Refusal = (503, "Too much is being sent to the server at once. Try again in a minute.")
DISK_FULL: Refusal = (507, "The server has no room for files now. Try again in an hour.")
NOT_FOUND: Refusal = (404, "There is nothing at this address.")


@dataclass(frozen=True)
class Pace:
    """The speed limit of a body: at most `seconds`, and after `grace` at least MIN_RATE."""

    seconds: float = BODY_SECONDS
    grace: float = GRACE_SECONDS

    def left(self, began: float, size: int) -> float:
        """The seconds until the next piece is due, after `size` bytes of a body."""
        return began + min(self.seconds, self.grace + size / MIN_BYTES_PER_SECOND) - time.monotonic()


class Shield:
    """Refuses large and slow request bodies, other sites and unused routes; adds headers.

    `max_upload_bytes` of 0 refuses every file. `scope["app"]` is Gradio's app, which lists its downloads.
    """

    def __init__(
        self,
        app: ASGIApp,
        max_body_bytes: int = MAX_BODY_BYTES,
        max_upload_bytes: int = MAX_UPLOAD_BYTES,
        rates: Rates | None = None,
        pace: Pace | None = None,
        spare_disk: int = SPARE_DISK_BYTES,
        server: ServerSettings | None = None,
    ) -> None:
        server = server or ServerSettings()
        policy = " ".join((CONTENT_SECURITY_POLICY, *server.frames))  # the last rule names frames
        self._headers = HEADERS | {"Content-Security-Policy": policy}
        self._app, self._rates, self._pace = app, rates or Rates(0), pace or Pace()
        self._uploads, self._provenance = Uploads(max_upload_bytes, spare_disk), Provenance(server.hosts)
        self._files = _BodyBudget(max_upload_bytes, HELD_FILES)
        self._others = _BodyBudget(max_body_bytes, HELD_BODIES)
        self._coming: Counter[str] = Counter()  # incomplete bodies, by address
        self._undecided: set[str] = set()  # routes already logged

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the ASGI specification."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        sent = bytearray()  # the answer to an upload

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self._headers)
            elif budget is self._files:
                sent.extend(message.get("body", b""))
            await send(message)

        budget = self._files if scope["path"] == UPLOAD else self._others
        body_bytes = 0
        address = ip_group_of(_address(scope) or "")

        def hold(size: int) -> bool:
            nonlocal body_bytes
            body_bytes += size
            return budget.hold(address, size)

        largest = SHORT_BODY_BYTES if scope["path"] in SHORT_CALLS else budget.largest
        try:
            answer = self._refusal(scope) or await self._body(scope, receive, largest, hold)
            if isinstance(answer, list):
                await self._app(scope, _replay(answer, receive), send_with_headers)
                self._uploads.note(address, bytes(sent))
            else:
                refusal = PlainTextResponse(answer[1], answer[0], {"Connection": "close"})
                await refusal(scope, receive, send_with_headers)
        finally:
            budget.hold(address, -body_bytes)

    def _refusal(self, scope: Scope) -> Refusal | None:
        """The refusal of a request by its headers alone, or None."""
        foreign = self._provenance.refusal(scope, does_more_than_read(scope))
        if foreign is not None:
            return foreign
        upload = scope["path"] == UPLOAD
        if not is_served(scope):
            self._name_undecided(scope)
            return NOT_FOUND
        if upload and not self._files.largest:
            return NOT_FOUND
        address = ip_group_of(_address(scope) or "")
        if upload and scope["method"] == "POST" and not self._uploads.has_room(address):
            return DISK_FULL
        return self._too_often(scope)

    def _name_undecided(self, scope: Scope) -> None:
        """Log each unknown route, which a new version of Gradio has added, once."""
        route = undecided_route(scope)
        if route and route not in self._undecided:
            self._undecided.add(route)
            logger.warning("demo/server/gate/routes.py neither opens nor closes Gradio's %s: 404", route)

    def _too_often(self, scope: Scope) -> Refusal | None:
        """The refusal of an upload, small request or tool call over its rate limit; `Page` counts others."""
        kind = CALL_KINDS.get(scope["path"]) if scope["method"] == "POST" else None
        seconds = self._rates.wait(kind, None, _address(scope)) if kind else 0
        return (429, f"Too many requests at once. Wait {seconds} s, then try again.") if seconds else None

    async def _body(
        self, scope: Scope, receive: Receive, limit: int, hold: Callable[[int], bool]
    ) -> list[Message] | Refusal:
        """Read all messages of a request before anything is parsed, or return a refusal."""
        if scope["method"] in {"GET", "HEAD", "OPTIONS"}:
            return []
        declared = Headers(scope=scope).get("content-length", "0")
        if not declared.isdecimal() or int(declared) > limit:
            return TOO_LARGE
        address = ip_group_of(_address(scope) or "")
        if self._coming[address] >= MAX_INCOMPLETE_OF_ONE:
            return BUSY
        self._coming[address] += 1
        try:
            return await _messages(receive, limit, hold, self._pace)
        except asyncio.TimeoutError:
            return TOO_SLOW
        finally:
            self._coming[address] -= 1
            if not self._coming[address]:
                del self._coming[address]


@dataclass
class _BodyBudget:
    """The memory for bodies of one kind while they arrive and are read."""

    largest: int  # bytes of one body
    count: int
    bytes_by_address: Counter[str] = field(default_factory=Counter)  # in memory now

    def hold(self, address: str, size: int) -> bool:
        """Count more bytes; return whether they fit, with at most half of the memory for one address."""
        self.bytes_by_address[address] += size
        if self.bytes_by_address[address] <= 0:
            del self.bytes_by_address[address]
        most = self.count * self.largest
        return self.bytes_by_address[address] <= most // 2 and self.bytes_by_address.total() <= most


async def _messages(
    receive: Receive, limit: int, hold: Callable[[int], bool], pace: Pace
) -> list[Message] | Refusal:
    """Read the messages of a body. Raises asyncio.TimeoutError."""
    messages, size, began = [], 0, time.monotonic()
    while True:
        message = await asyncio.wait_for(receive(), pace.left(began, size))
        if message["type"] == "http.disconnect":
            return BROKEN_OFF
        messages.append(message)
        size += len(message.get("body", b""))
        if size > limit:
            return TOO_LARGE
        if not hold(len(message.get("body", b""))):
            return BUSY
        if not message.get("more_body", False):
            return messages


def _address(scope: Scope) -> str | None:
    peer = scope["client"][0] if scope.get("client") else None
    return visitor_address(peer, Headers(scope=scope), on_space())


def _replay(messages: list[Message], receive: Receive) -> Receive:
    waiting = iter(messages)

    async def replay() -> Message:
        for message in waiting:
            return message
        return await receive()

    return replay
