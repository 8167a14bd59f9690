"""The path below which a proxy serves the page, as in `https://example.org/unrolled/`."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.types import ASGIApp, Receive, Scope, Send

from demo.server.gate.routes import is_served


class FrontPath:
    """ASGI layer that removes the path in front from a request's address, unless the proxy has done so.

    The layers and routes inside see the address as without a proxy. Starlette would cut the path in front
    from a route of the same name, too. Gradio keeps the path for the addresses that it sends.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the ASGI specification."""
        if scope["type"] == "http":
            front = urlsplit(scope.get("root_path", "")).path.rstrip("/")
            scope = {**scope, "root_path": ""}
            inner = {**scope, "path": scope["path"].removeprefix(front)}
            if front and inner["path"].startswith("/") and is_served(inner):
                scope = inner
        await self._app(scope, receive, send)
