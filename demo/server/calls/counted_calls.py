"""ASGI layer that refuses a call, before its body is read, if its owner has many open calls."""

from __future__ import annotations

from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from demo.server.calls.answer_streams import CALL_PATH
from demo.server.gate.routes import JOIN
from demo.server.gradio_compat import page_of
from demo.server.page import OPEN_CALL, Page, from_a_page, owner_of
from demo.work.requests.owner import Owner


class CountedCalls:
    """Lets calls into Gradio's queue while there is room; see `OpenCalls`.

    The session of a page's call stands in its body, so `Page` counts the call later.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the ASGI specification."""
        page = page_of(scope) if scope["type"] == "http" else None
        if not (isinstance(page, Page) and scope["method"] == "POST" and _joins_the_queue(scope["path"])):
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        caller = owner_of(request, None)
        owner = Owner("", caller.ip_group) if from_a_page(request) else caller
        if refusal := page.open_calls.refusal(owner):
            answer = JSONResponse({"detail": refusal}, HTTPStatus.TOO_MANY_REQUESTS)
            await answer(scope, receive, send)
            return
        with page.open_calls.post(owner) as call:
            await self._app({**scope, OPEN_CALL: call}, receive, send)


def _joins_the_queue(path: str) -> bool:
    return path == JOIN or path.startswith(CALL_PATH)
