"""ASGI layers that refuse calls with a sentence, and end streams of answers to which nothing more can come.

Gradio would print a traceback, or store or believe what is malformed: a session name of a megabyte, a call
that claims to be a batch. It would keep such streams open.
"""

from __future__ import annotations

import asyncio
import difflib
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from http import HTTPStatus
from typing import Protocol

from python_multipart.exceptions import FormParserError
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from demo.i18n import say
from demo.server.calls.call_bodies import UnfitBodyError, read_body
from demo.server.gate.routes import API, CALLED_FOLDERS, CALLS, COMPONENT_CALLS, JOIN, MCP, UPLOAD
from demo.server.gradio_compat import FnIndexInferError, answering_functions, holds_a_file, page_of
from demo.server.gradio_queue import knows_session, no_session, session_of_call
from demo.server.page import OPEN_CALL, Page, from_a_page, owner_of
from demo.work.errors import REFUSAL_TITLE, WAIT_TITLE
from demo.work.requests.caller import Owner
from models.errors import brief

BY_NAME = "/gradio_api/call/v2/"  # the name of an endpoint follows; the body names the arguments
STREAM_PATH = API + "queue/data"  # the stream of one session
CALL_PATH = API + "call/"  # followed by the endpoint and the id of one call by a program
NOTHING_TO_FETCH = "There is no such call, or its answer was fetched already."
FETCHED_NOW = "The answer of this call is being fetched already."
# Paths outside `CALLED_FOLDERS` that take a JSON object.
JSON_PATHS = (CALLS | COMPONENT_CALLS | MCP) - {UPLOAD}
# Raised by Gradio for a form with unexpected content, and by its parser for a malformed form.
FORM_ERRORS = (TypeError, AttributeError, FormParserError)
SESSION = re.compile(r"[!-~]{1,100}")
LARGE_BODY_BYTES = 1 << 16  # checking a megabyte takes 20 to 40 ms, during which nothing else runs
UNPROCESSABLE = HTTPStatus.UNPROCESSABLE_ENTITY

Problem = tuple[HTTPStatus, str]


class CountedCalls:
    """Lets calls into Gradio's queue while there is room; refuses others before their bodies are read.

    See `OpenCalls`. The session of a page's call stands in its body, so `Page` counts the call later.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the ASGI specification."""
        page = page_of(scope) if scope["type"] == "http" else None
        joins = scope.get("path") == JOIN or scope.get("path", "").startswith(CALL_PATH)
        if not (isinstance(page, Page) and scope["method"] == "POST" and joins):
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


class NamedArgument(Protocol):
    """The part of an endpoint's argument that is used here."""

    @property
    def name(self) -> str:
        """The name in a call."""

    @property
    def meaning(self) -> str:
        """A sentence about the argument."""

    @property
    def is_required(self) -> bool:
        """Whether a call must pass the argument."""


class CheckedCalls:
    """Answers a call with a wrong endpoint or wrong arguments with a sentence; lets others pass."""

    def __init__(self, app: ASGIApp, endpoints: Mapping[str, tuple[NamedArgument, ...]]) -> None:
        """`endpoints` holds the arguments of each endpoint, by name."""
        self._streams, self._endpoints = CheckedStreams(app), endpoints
        self._checking = asyncio.Lock()  # held while a large body is checked

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the ASGI specification."""
        wrong, path = None, scope.get("path", "")
        is_call = path in JSON_PATHS or path.startswith(CALLED_FOLDERS)
        if scope["type"] == "http" and scope["method"] == "POST" and is_call:
            body = await Request(scope, receive).body()
            wrong = await self._check(scope, body)
            receive = _again(body, receive)
        if wrong is None:
            try:
                await self._streams(scope, receive, _with_refusals(send))
            except FnIndexInferError:  # raised before any part of an answer
                wrong = self._unknown(scope["path"].strip("/").rsplit("/", 1)[-1])
            except FORM_ERRORS:
                if scope["path"] != UPLOAD:
                    raise
                wrong = HTTPStatus.BAD_REQUEST, "The form must have a file in the field files."
        if wrong is not None:
            status, detail = wrong
            await JSONResponse({"detail": detail}, status)(scope, receive, send)

    async def _check(self, scope: Scope, body: bytes) -> Problem | None:
        """The problem of a call. Other requests have their turn between two large bodies."""
        if len(body) <= LARGE_BODY_BYTES:
            return self._problem(scope, body)
        async with self._checking:
            await asyncio.sleep(0)
            return self._problem(scope, body)

    def _unknown(self, name: str) -> Problem:
        names = ", ".join(self._endpoints)
        return HTTPStatus.NOT_FOUND, f"There is no endpoint {brief(name)}; there are: {names}."

    def _problem(self, scope: Scope, body: bytes) -> Problem | None:
        """The problem with a call, which is parsed as Gradio will parse it; None if there is none."""
        name = scope["path"].split(BY_NAME, 1)[1].strip("/") if BY_NAME in scope["path"] else None
        if name is not None and name not in self._endpoints:
            return self._unknown(name)
        try:
            values = read_body(Headers(scope=scope), body)
        except UnfitBodyError as error:
            return UNPROCESSABLE, str(error)
        if scope["path"] in MCP:  # its protocol reports other problems
            return None
        if name is not None:
            sentence = wrong_names(self._endpoints[name], values)
            return None if sentence is None else (UNPROCESSABLE, sentence)
        session = values.get("session_hash")
        if session is not None and not (isinstance(session, str) and SESSION.fullmatch(session)):
            return (
                UNPROCESSABLE,
                "session_hash must be a text of 1 to 100 characters of ASCII, without spaces.",
            )
        page = page_of(scope)
        for field, names in (("fn_index", answering_functions(page)), ("component_id", page.blocks)):
            number = values.get(field)
            if number is not None and not (type(number) is int and number in names):
                return UNPROCESSABLE, f"{field} must be a number that this page uses; got {brief(number)}."
        if holds_a_file(values.get("event_data")):
            return UNPROCESSABLE, "Events of this page cannot send a file."
        return (UNPROCESSABLE, "Batched calls are not supported.") if values.get("batched") else None


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


def wrong_names(arguments: tuple[NamedArgument, ...], values: Mapping[str, object]) -> str | None:
    """A sentence about a wrong or missing argument; None if there is none."""
    names = [argument.name for argument in arguments]
    for name in values:
        if name not in names:
            close = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
            hint = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(names) or 'none'}."
            return f"There is no argument {brief(name)}; {hint}"
    for argument in arguments:
        if argument.is_required and argument.name not in values:
            return f"The argument {argument.name!r} is missing: {argument.meaning}"
    return None


def _with_refusals(send: Send) -> Send:
    """Send a refusal with a status of its own; Gradio answers a direct call with 500 for every error."""
    start: Message | None = None

    async def send_on(message: Message) -> None:
        nonlocal start
        if message["type"] == "http.response.start" and message["status"] == HTTPStatus.INTERNAL_SERVER_ERROR:
            start = message
            return
        if start is not None:
            statuses = {say(REFUSAL_TITLE): UNPROCESSABLE, say(WAIT_TITLE): HTTPStatus.TOO_MANY_REQUESTS}
            with suppress(ValueError, AttributeError):  # a fault outside of a call has no JSON
                start["status"] = statuses.get(json.loads(message["body"]).get("title"), start["status"])
            await send(start)
            start = None
        await send(message)

    return send_on


def _again(body: bytes, receive: Receive) -> Receive:
    """Receive the body that was read, then further messages."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay


def _error(sentence: str, status: HTTPStatus) -> Response:
    return _event_stream(f"event: error\ndata: {json.dumps(sentence)}\n\n", status)


def _event_stream(events: str, status: HTTPStatus) -> Response:
    return Response(events, status, media_type="text/event-stream")
