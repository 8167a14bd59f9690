"""Changes a page on its way to the browser."""

from __future__ import annotations

from collections.abc import Callable

from starlette.datastructures import MutableHeaders
from starlette.types import Message, Send


class ChangedPage:
    """Applies `change` to a page; sends anything else, such as a page in several pieces, unchanged."""

    def __init__(
        self,
        send: Send,
        change: Callable[[bytes], bytes],
        change_headers: Callable[[MutableHeaders], None] | None = None,
    ) -> None:
        self._send, self._change, self._change_headers = send, change, change_headers
        self._start: Message | None = None

    async def __call__(self, message: Message) -> None:
        """See the ASGI specification."""
        if message["type"] == "http.response.start":
            self._start = message
            return
        if self._start is not None:
            headers = MutableHeaders(scope=self._start)
            if headers.get("content-type", "").startswith("text/html") and not message.get(
                "more_body", False
            ):
                body = self._change(message["body"])
                message = {**message, "body": body}
                headers["content-length"] = str(len(body))
                if self._change_headers is not None:
                    self._change_headers(headers)
            await self._send(self._start)
            self._start = None
        await self._send(message)
