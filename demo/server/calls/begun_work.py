"""Work that a page begins by one request and follows by a stream of states until its last one.

It runs in threads for requests of the page's scripts: as many as may wait at once, and some more.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from contextvars import copy_context
from functools import partial
from http import HTTPStatus
from secrets import token_urlsafe
from typing import Any, TypeAlias, TypeVar

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from demo.server.gate.routes import STATES
from demo.server.gradio_compat import page_of
from demo.work.operator.caps import MAX_HANDLERS

QUICK_THREADS = 24  # threads beside those that wait for their turn
UNFOLLOWED_SECONDS = 5.0  # after these seconds the page counts as closed
State: TypeAlias = dict[str, Any]  # all but the last one have `progress`, a sentence
States: TypeAlias = AsyncGenerator[State, None]  # closing it ends the work
Result = TypeVar("Result")

_pool = ThreadPoolExecutor(MAX_HANDLERS + QUICK_THREADS, thread_name_prefix="asked")


async def in_thread(function: Callable[..., Result], *arguments: object) -> Result:
    """Run `function(*arguments)` in a thread, with the context of this call.

    `asyncio.to_thread` has six threads on two cores, so six waiting requests would block all others.
    """
    call = partial(copy_context().run, function, *arguments)
    return await asyncio.get_running_loop().run_in_executor(_pool, call)


class BegunWork:
    """The work of all pages that has begun and whose states are not followed yet. One event loop uses it."""

    def __init__(self) -> None:
        self._states: dict[str, States] = {}  # keys: secrets in their addresses
        self._ending: set[asyncio.Task[None]] = set()
        self.followed = 0  # the number of open streams

    async def first_state(self, states: States) -> State:
        """The first state: the last one, too, or with the `address` of the stream of all later ones."""
        state = await anext(states)
        if "progress" not in state:
            await states.aclose()
            return state
        key = token_urlsafe()
        self._states[key] = states
        asyncio.get_running_loop().call_later(UNFOLLOWED_SECONDS, self._end, key)
        return {**state, "address": STATES.removeprefix("/") + key}

    def _end(self, key: str) -> None:
        """End work that nobody follows."""
        states = self._states.pop(key, None)
        if states is not None:
            ending = asyncio.ensure_future(states.aclose())
            self._ending.add(ending)
            ending.add_done_callback(self._ending.discard)

    def stream(self, key: str, encode: Callable[[State], str]) -> Response:
        """All later states as events. The work ends with the stream, also if the page closes it early."""
        states = self._states.pop(key, None)
        if states is None:
            return PlainTextResponse("There is no such work.", HTTPStatus.NOT_FOUND)
        return StreamingResponse(self._events(states, encode), media_type="text/event-stream")

    async def _events(self, states: States, encode: Callable[[State], str]) -> AsyncGenerator[str, None]:
        self.followed += 1
        try:
            async with aclosing(states):
                async for state in states:
                    yield f"data: {await in_thread(encode, state)}\n\n"
        finally:
            self.followed -= 1


def states_route(encode: Callable[[State], str]) -> Route:
    """The route of the streams; `encode` returns a state as JSON."""

    async def answer(request: Request) -> Response:
        begun_work: BegunWork = page_of(request.scope).begun_work  # type: ignore[attr-defined]
        return begun_work.stream(request.path_params["key"], encode)

    return Route(f"{STATES}{{key}}", answer, methods=["GET"])
