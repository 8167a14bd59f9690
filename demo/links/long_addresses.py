"""Redirects addresses that are too long for Gradio, which would answer with an error page."""

from __future__ import annotations

from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from demo.links.parameters import TOO_LONG

MAX_QUERY_BYTES = 32_000  # Gradio fails at 65,536; a link that is read, all its characters encoded, fits
MAX_PARAMETERS, MAX_PARAMETER_BYTES = 20, 200  # limits of the address that the visitor is sent to


class ShortAddress:
    """Redirects a request with too long an address to the same address without its long parameters."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the ASGI specification."""
        query: bytes = scope.get("query_string", b"")
        if len(query) <= MAX_QUERY_BYTES or scope.get("method") not in {"GET", "HEAD"}:
            await self._app(scope, receive, send)
            return
        note = f"{TOO_LONG}={len(query)}".encode()
        short = [part for part in query.split(b"&") if len(part) <= MAX_PARAMETER_BYTES][:MAX_PARAMETERS]
        # The redirect is relative, since a proxy may serve the page under another address.
        elsewhere = "?" + b"&".join([note, *short]).decode("ascii", "ignore")
        await RedirectResponse(elsewhere, 303)(scope, receive, send)
