"""A small ASGI layer before Gradio, which limits no request body and sends no security headers."""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from demo.limits import MAX_BODY_BYTES, MAX_UPLOAD_BYTES

# Gradio's page has inline scripts and compiles its components' scripts; nothing may come from elsewhere,
# and nothing may be sent there. Hugging Face shows a Space in a frame of its own site.
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

UPLOAD = "/gradio_api/upload"  # where files of training data come in


class Shield:
    """Refuses large request bodies and adds security headers to every answer."""

    def __init__(
        self, app: ASGIApp, max_body_bytes: int = MAX_BODY_BYTES, max_upload_bytes: int = MAX_UPLOAD_BYTES
    ) -> None:
        self._app = app
        self._max_body_bytes, self._max_upload_bytes = max_body_bytes, max_upload_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the ASGI specification."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        body = await self._body(scope, receive)
        if body is None:
            refusal = PlainTextResponse("The request is too large.", 413, {"Connection": "close"})
            await refusal(scope, receive, send_with_headers)
        else:
            await self._app(scope, _replay(body, receive), send_with_headers)

    async def _body(self, scope: Scope, receive: Receive) -> list[Message] | None:
        """All messages of the request, None if they are too much: read before anybody parses a byte."""
        if scope["method"] in {"GET", "HEAD", "OPTIONS"}:
            return []
        limit = self._max_upload_bytes if scope["path"].endswith(UPLOAD) else self._max_body_bytes
        declared = Headers(scope=scope).get("content-length", "0")
        if not declared.isdigit() or int(declared) > limit:
            return None
        messages, size = [], 0
        while True:
            message = await receive()
            messages.append(message)
            size += len(message.get("body", b""))
            if size > limit:
                return None
            if not message.get("more_body", False):
                return messages


def _replay(messages: list[Message], receive: Receive) -> Receive:
    waiting = iter(messages)

    async def replay() -> Message:
        for message in waiting:
            return message
        return await receive()

    return replay
