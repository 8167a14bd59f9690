"""Sets the language of each request, and says it in the page itself before any script runs."""

from __future__ import annotations

from collections.abc import Callable

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from demo.i18n import language, spoken
from demo.i18n.negotiation import wanted_language

GRADIO = {"en": "en", "es": "es", "zh": "zh-CN"}  # what Gradio calls our languages
HTML, HEAD = b'lang="en"', b"<head>"
# Gradio asks the browser alone; of its own words, too, the visitor has chosen the language.
OWN_WORDS = (
    "<script>for (const [name, value] of [['language', '{0}'], ['languages', ['{0}']]])"
    " Object.defineProperty(navigator, name, {{ value, configurable: true }});</script>"
)


class Speaking:
    """ASGI layer: what is inside answers in the language of the request."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the ASGI specification."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        query = scope.get("query_string", b"").decode("latin-1")
        with spoken(wanted_language(query, Headers(scope=scope))):
            page = scope["method"] == "GET" and scope["path"] == "/"
            await self._app(scope, receive, ChangedPage(send, _in_language, _say_language) if page else send)


class ChangedPage:
    """Sends a page as `change` makes it; anything else, such as a page in several pieces, as it is."""

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


def _say_language(headers: MutableHeaders) -> None:
    headers["content-language"] = language()
    headers.append("vary", "Accept-Language, Cookie")


def _in_language(page: bytes) -> bytes:
    code = GRADIO[language()]
    own = OWN_WORDS.format(code).encode()
    return page.replace(HTML, f'lang="{code}"'.encode(), 1).replace(HEAD, HEAD + own, 1)
