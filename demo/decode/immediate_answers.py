"""Answers to the page's script before Gradio's queue, for work that is ready soon.

A place in the queue takes longer than most decodings. Longer work is handed over to the queue's handler,
which reports its progress; refusals come from there, too, in words.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import gradio as gr
from starlette.responses import Response

from demo.decode.edits import edit_request
from demo.decode.run import note_on
from demo.server.gate.rates import CallKind
from demo.server.gradio_compat import page_of, session_of
from demo.server.page import Page, owner_of
from demo.server.threads import in_thread
from demo.trace.payload import trace_content
from demo.widgets.view.payload import json_text
from demo.work.context import AppContext
from demo.work.decoding.running import FIRST_REPORT_SECONDS, RunningDecodings, start
from demo.work.requests.decode import DecodeRequest, decode_request
from demo.work.requests.owner import owned_by
from models.decoding.trace import DecodingTrace
from models.errors import UnrolledError

MAX_HANDOVER_SECONDS = 5.0  # after these seconds the page counts as closed
Answer: TypeAlias = "dict[str, Any] | None"


async def on_run_at_once(
    context: AppContext, running: RunningDecodings, session: str, values: object
) -> Answer:
    """The payload of the trace for the widgets' values, and a note; None if it takes longer or is refused."""
    try:
        request = decode_request(*values) if isinstance(values, list) else None
    except (UnrolledError, TypeError, ValueError):
        return None
    trace = await _ready_soon(context, running, session, request) if request else None
    if trace is None:
        return None
    return {"trace": await in_thread(trace_content, trace, context.label), "note": note_on(context, trace)}


async def on_edit_at_once(
    context: AppContext, running: RunningDecodings, session: str, data: object
) -> Answer:
    """The payload of the trace of an edit; None if it takes longer or is refused."""
    try:
        request = await in_thread(edit_request, context, data)
    except (UnrolledError, TypeError, ValueError):
        return None
    trace = await _ready_soon(context, running, session, request)
    return {"trace": await in_thread(trace_content, trace, context.label)} if trace else None


async def _ready_soon(
    context: AppContext, running: RunningDecodings, session: str, request: DecodeRequest
) -> DecodingTrace | None:
    watch = running.begin(session)
    under_way = start(context, request, watch)
    if not await under_way.decoding.done_soon(FIRST_REPORT_SECONDS):
        running.hand_over(session, under_way)
        asyncio.get_running_loop().call_later(MAX_HANDOVER_SECONDS, running.drop, session, under_way)
        return None
    try:
        trace = under_way.decoding.result()
    except Exception:  # the queued handler fails in the same way and shows the error
        return None
    finally:
        running.end(session, watch)
    return None if watch.superseded else trace


def immediate_functions(
    context: AppContext, running: RunningDecodings
) -> list[Callable[..., Awaitable[Response | None]]]:
    """The server functions of a `TraceView`, whose script calls them by name."""

    async def answer(
        on: Callable[[AppContext, RunningDecodings, str, object], Awaitable[Answer]],
        event_data: object,
        request: gr.Request,
    ) -> Response | None:
        page, session = page_of(request.scope), await session_of(request)
        if not isinstance(page, Page) or not session:
            return None
        if page.refusal(CallKind.DECODING, request, session):
            return None  # the queued handler shows the refusal
        with owned_by(*owner_of(request, session)):
            result = await on(context, running, session, event_data)
        if result is None:
            page.give_back(CallKind.DECODING, request, session)
            return None
        # Encoded here, once: the server passes a response on as it is.
        return Response(await in_thread(json_text, result), media_type="application/json")

    async def decode_at_once(values: object, request: gr.Request) -> Response | None:
        return await answer(on_run_at_once, values, request)

    async def edit_at_once(data: object, request: gr.Request) -> Response | None:
        return await answer(on_edit_at_once, data, request)

    async def leave_decoding(_: object, request: gr.Request) -> None:
        running.leave(await session_of(request))

    return [decode_at_once, edit_at_once, leave_decoding]
