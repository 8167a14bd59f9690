"""ASGI layer that ends streams of answers to which nothing more can come; Gradio would keep them open."""

from __future__ import annotations

import json
from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from demo.server.gate.routes import API
from demo.server.gradio_compat import page_of
from demo.server.gradio_queue import knows_session, no_session, session_of_call
from demo.server.page import Page

STREAM_PATH = API + "queue/data"  # the stream of one session
CALL_PATH = API + "call/"  # followed by the endpoint and the id of one call by a program
NOTHING_TO_FETCH = "There is no such call, or its answer was fetched already."
FETCHED_NOW = "The answer of this call is being fetched already."


class CheckedStreams:
    """Answers at once a request for the stream of a lost session or of a call without an answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._being_fetched: set[str] = set()  # ids of calls whose answers are being fetched

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the ASGI specification."""
        if scope["type"] != "http" or scope["method"] != "GET":
            await self._app(scope, receive, send)
        elif scope["path"] == STREAM_PATH:
            await self._session(scope, receive, send)
        elif scope["path"].startswith(CALL_PATH):
            await self._call(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _session(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the stream of a session. After a restart, all pages ask for lost sessions."""
        session = Request(scope).query_params.get("session_hash")
        if session is None or knows_session(page_of(scope), session):
            await self._stream(session, scope, receive, send)
            return
        await _event_stream(f"data: {no_session()}\n\n", HTTPStatus.OK)(scope, receive, send)

    async def _call(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the stream of one call. Of two listeners, only one would receive its end."""
        call = scope["path"].rsplit("/", 1)[-1]
        if call in self._being_fetched:
            await _error(FETCHED_NOW, HTTPStatus.CONFLICT)(scope, receive, send)
            return
        session = session_of_call(page_of(scope), call)
        if not session:
            await _error(NOTHING_TO_FETCH, HTTPStatus.NOT_FOUND)(scope, receive, send)
            return
        self._being_fetched.add(call)
        try:
            await self._stream(session, scope, receive, send)
        finally:
            self._being_fetched.discard(call)

    async def _stream(self, session: str | None, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a stream. If its session is lost meanwhile, Gradio reports that, then raises."""
        page = page_of(scope)
        try:
            if isinstance(page, Page) and session is not None:
                await page.listeners.follow(session, self._app, scope, receive, send)
            else:
                await self._app(scope, receive, send)
        except RuntimeError as error:
            if not isinstance(error.__cause__, HTTPException):
                raise
            await send({"type": "http.response.body", "body": b"", "more_body": False})


def _error(sentence: str, status: HTTPStatus) -> Response:
    return _event_stream(f"event: error\ndata: {json.dumps(sentence)}\n\n", status)


def _event_stream(events: str, status: HTTPStatus) -> Response:
    return Response(events, status, media_type="text/event-stream")
