"""A small ASGI layer: a sentence for calls that no page and no client makes, where Gradio prints a traceback.

What it refuses would be kept, or believed: a session's name of a megabyte, a call that says it is a batch.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Protocol

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from demo.server.gradio_compat import FnIndexInferError, knows_session, no_session, page_of
from demo.server.routes import API, CALLED_FOLDERS, CALLS, COMPONENT_CALLS, UPLOAD
from models.errors import shown

BY_NAME = "/gradio_api/call/v2/"  # then the name of an endpoint; the body names the arguments
OTHERS = (CALLS | COMPONENT_CALLS) - {UPLOAD}  # that take a JSON object and are in no folder of calls
STREAM = API + "queue/data"  # what is answered, to one session
SESSION = re.compile(r"[!-~]{1,100}")
UNFIT = HTTPStatus.UNPROCESSABLE_ENTITY

Problem = tuple[HTTPStatus, str]


class Argument(Protocol):
    """What is asked here of an argument of an endpoint."""

    @property
    def name(self) -> str:
        """As a call gives it."""

    @property
    def meaning(self) -> str:
        """A sentence."""

    @property
    def is_required(self) -> bool:
        """Whether a call must give it."""


class CheckedCalls:
    """Answers a call that names no endpoint, or not its arguments, with a sentence; lets others pass."""

    def __init__(self, app: ASGIApp, endpoints: Mapping[str, tuple[Argument, ...]]) -> None:
        """`endpoints`: the arguments of each, by its name."""
        self._app, self._endpoints = app, endpoints

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the ASGI specification."""
        wrong = None
        if scope["type"] == "http" and scope["method"] == "POST" and _is_call(scope["path"]):
            body = await Request(scope, receive).body()
            wrong = self._problem(scope, body)
            receive = _again(body, receive)
        if wrong is None:
            try:
                await self._pass(scope, receive, send)
            except FnIndexInferError:  # raised before anything was answered
                wrong = self._unknown(scope["path"].strip("/").rsplit("/", 1)[-1])
        if wrong is not None:
            status, detail = wrong
            await JSONResponse({"detail": detail}, status)(scope, receive, send)

    async def _pass(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, unless it waits for a session that is gone: after a restart, all pages do."""
        if scope["type"] != "http" or scope["method"] != "GET" or scope["path"] != STREAM:
            await self._app(scope, receive, send)
            return
        session = Request(scope).query_params.get("session_hash")
        if session is None or knows_session(page_of(scope), session):
            await self._app(scope, receive, send)
            return
        stream = Response(f"data: {no_session()}\n\n", media_type="text/event-stream")
        await stream(scope, receive, send)

    def _unknown(self, name: str) -> Problem:
        known = ", ".join(self._endpoints)
        return HTTPStatus.NOT_FOUND, f"There is no endpoint {shown(name)}; there are: {known}."

    def _problem(self, scope: Scope, body: bytes) -> Problem | None:
        """What is wrong with a call, read as Gradio will read it."""
        try:
            given = json.loads(body)
        except (ValueError, RecursionError):
            given = None
        if BY_NAME in scope["path"]:
            return self._problem_by_name(scope["path"].split(BY_NAME, 1)[1].strip("/"), given)
        if not isinstance(given, dict):
            return UNFIT, "The body must be a JSON object."
        session = given.get("session_hash")
        if session is not None and not (isinstance(session, str) and SESSION.fullmatch(session)):
            return UNFIT, "session_hash must be a text of 1 to 100 characters of ASCII, without spaces."
        page = page_of(scope)
        for name, known in (("fn_index", page.fns), ("component_id", page.blocks)):
            number = given.get(name)
            if number is not None and not (type(number) is int and number in known):
                return UNFIT, f"{name} must be a number of this page's; got {shown(number)}."
        return (UNFIT, "No call is a batch here.") if given.get("batched") else None

    def _problem_by_name(self, name: str, given: object) -> Problem | None:
        if name not in self._endpoints:
            return self._unknown(name)
        if not isinstance(given, dict):
            return UNFIT, "The body must be a JSON object with the arguments by name."
        sentence = wrong_names(self._endpoints[name], given)
        return None if sentence is None else (UNFIT, sentence)


def _is_call(path: str) -> bool:
    return path in OTHERS or path.startswith(CALLED_FOLDERS)


def wrong_names(arguments: tuple[Argument, ...], given: Mapping[str, object]) -> str | None:
    """What is wrong with the names of the values given, as a sentence; None if nothing is."""
    known = [argument.name for argument in arguments]
    for name in given:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
            hint = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(known) or 'none'}."
            return f"There is no argument {shown(name)}; {hint}"
    for argument in arguments:
        if argument.is_required and argument.name not in given:
            return f"The argument {argument.name!r} is missing: {argument.meaning}"
    return None


def _again(body: bytes, receive: Receive) -> Receive:
    """The body that was read, then whatever comes."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay
