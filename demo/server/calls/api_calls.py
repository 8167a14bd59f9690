"""A small ASGI layer: a sentence for calls that no page and no client makes, where Gradio prints a traceback.

What it refuses would be kept, or believed: a session's name of a megabyte, a call that says it is a batch.
"""

from __future__ import annotations

import asyncio
import difflib
import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Protocol

from python_multipart.exceptions import FormParserError
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from demo.server.calls.answer_streams import CheckedStreams
from demo.server.calls.call_bodies import UnfitBodyError, read_body
from demo.server.gate.routes import CALLED_FOLDERS, CALLS, COMPONENT_CALLS, MCP, UPLOAD
from demo.server.gradio_compat import FnIndexInferError, answering_functions, holds_a_file, page_of
from models.errors import brief

BY_NAME = "/gradio_api/call/v2/"  # then the name of an endpoint; the body names the arguments
OTHERS = (CALLS | COMPONENT_CALLS | MCP) - {UPLOAD}  # that take a JSON object and are in no folder of calls
# What Gradio raises for a form with something else in it, and its reader for one that it cannot take apart.
UNFIT_FORM = (TypeError, AttributeError, FormParserError)
SESSION = re.compile(r"[!-~]{1,100}")
LARGE = 1 << 16  # bytes of a body; a megabyte takes 20 to 40 ms to look at, in which nothing else goes on
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
        self._streams, self._endpoints = CheckedStreams(app), endpoints
        self._looking = asyncio.Lock()  # at a large body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the ASGI specification."""
        wrong = None
        if scope["type"] == "http" and scope["method"] == "POST" and _is_call(scope["path"]):
            body = await Request(scope, receive).body()
            wrong = await self._looked_at(scope, body)
            receive = _again(body, receive)
        if wrong is None:
            try:
                await self._streams(scope, receive, send)
            except FnIndexInferError:  # raised before anything was answered
                wrong = self._unknown(scope["path"].strip("/").rsplit("/", 1)[-1])
            except UNFIT_FORM:
                if scope["path"] != UPLOAD:
                    raise
                wrong = HTTPStatus.BAD_REQUEST, "The form holds no file named files."
        if wrong is not None:
            status, detail = wrong
            await JSONResponse({"detail": detail}, status)(scope, receive, send)

    async def _looked_at(self, scope: Scope, body: bytes) -> Problem | None:
        """See `_problem`. Between two large bodies, whoever sent them, all others have their turn."""
        if len(body) <= LARGE:
            return self._problem(scope, body)
        async with self._looking:
            await asyncio.sleep(0)
            return self._problem(scope, body)

    def _unknown(self, name: str) -> Problem:
        known = ", ".join(self._endpoints)
        return HTTPStatus.NOT_FOUND, f"There is no endpoint {brief(name)}; there are: {known}."

    def _problem(self, scope: Scope, body: bytes) -> Problem | None:
        """What is wrong with a call, read as Gradio will read it."""
        name = scope["path"].split(BY_NAME, 1)[1].strip("/") if BY_NAME in scope["path"] else None
        if name is not None and name not in self._endpoints:
            return self._unknown(name)
        try:
            given = read_body(Headers(scope=scope), body)
        except UnfitBodyError as error:
            return UNFIT, str(error)
        if scope["path"] in MCP:  # the rest is said in the words of its protocol
            return None
        if name is not None:
            sentence = wrong_names(self._endpoints[name], given)
            return None if sentence is None else (UNFIT, sentence)
        session = given.get("session_hash")
        if session is not None and not (isinstance(session, str) and SESSION.fullmatch(session)):
            return UNFIT, "session_hash must be a text of 1 to 100 characters of ASCII, without spaces."
        page = page_of(scope)
        for field, known in (("fn_index", answering_functions(page)), ("component_id", page.blocks)):
            number = given.get(field)
            if number is not None and not (type(number) is int and number in known):
                return UNFIT, f"{field} must be a number of this page's; got {brief(number)}."
        if holds_a_file(given.get("event_data")):
            return UNFIT, "An event of this page sends no file."
        return (UNFIT, "No call is a batch here.") if given.get("batched") else None


def _is_call(path: str) -> bool:
    return path in OTHERS or path.startswith(CALLED_FOLDERS)


def wrong_names(arguments: tuple[Argument, ...], given: Mapping[str, object]) -> str | None:
    """What is wrong with the names of the values given, as a sentence; None if nothing is."""
    known = [argument.name for argument in arguments]
    for name in given:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
            hint = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(known) or 'none'}."
            return f"There is no argument {brief(name)}; {hint}"
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
