"""Sets the language of each request, and writes it into the page before any script."""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from demo.i18n import in_language, language, wanted_language
from demo.i18n.page_translations import TAGS

HTML, HEAD = b'lang="en"', b"<head>"
# Gradio takes the language of its own words from the browser, so the script sets the visitor's choice there.
# Gradio would mark the whole page as English in a language that it does not know.
SCRIPT = (
    "<script>for (const [name, value] of [['language', '{0}'], ['languages', ['{0}']]])"
    " Object.defineProperty(navigator, name, {{ value, configurable: true }});"
    " {{ const root = document.documentElement;"
    " new MutationObserver(() => {{ if (root.lang !== '{0}') root.lang = '{0}'; }})"
    ".observe(root, {{ attributeFilter: ['lang'] }}); }}</script>"
)


class RequestLanguage:
    """ASGI layer that runs the app in the language of the request."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the ASGI specification."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        query = scope.get("query_string", b"").decode("latin-1")
        with in_language(wanted_language(query, Headers(scope=scope))):
            page = scope["method"] == "GET" and scope["path"] == "/"
            await self._app(scope, receive, _in_language(send) if page else send)


def _in_language(send: Send) -> Send:
    """Write the language into a page; send anything else, such as a page in several pieces, unchanged."""
    start: Message = {}

    async def send_on(message: Message) -> None:
        nonlocal start
        if message["type"] == "http.response.start":
            start = message
            return
        if start:
            headers = MutableHeaders(scope=start)
            if headers.get("content-type", "").startswith("text/html") and not message.get("more_body"):
                message = {**message, "body": _with_language(message["body"])}
                headers["content-length"] = str(len(message["body"]))
                headers["content-language"] = language()
                headers.append("vary", "Accept-Language, Cookie")
            await send(start)
            start = {}
        await send(message)

    return send_on


def _with_language(page: bytes) -> bytes:
    code = TAGS.get(language(), language())
    script = SCRIPT.format(code).encode()
    return page.replace(HTML, f'lang="{code}"'.encode(), 1).replace(HEAD, HEAD + script, 1)
