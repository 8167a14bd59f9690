"""The states of a decoding that the page's script asks for: a run of the form, or an edit of a result."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import aclosing
from functools import partial

import gradio as gr
from starlette.responses import Response

from demo.server.calls.begun_work import State, States, in_thread
from demo.server.gate.rates import CallKind
from demo.server.gradio_compat import page_of, session_of
from demo.server.page import WRONG_COUNT, Page, owner_of
from demo.trace.payload import trace_content
from demo.widgets.captions.output import length_note
from demo.widgets.view.payload import json_text
from demo.work.context import AppContext
from demo.work.errors import form_failure, safe_text
from demo.work.operator.caps import allowed_settings
from demo.work.requests.caller import owned_by
from demo.work.requests.checks import RequestError
from demo.work.requests.decode import DecodeRequest, decode_request
from demo.work.requests.edit import WhatIf
from demo.work.running import RunningDecodings, in_steps
from demo.work.turns import QueueFullError
from demo.work.watch import Watch
from models.decoding.trace import DecodingTrace


def on_run(context: AppContext, running: RunningDecodings, session: str, values: object) -> States:
    """The states of a decoding with the values of the form's widgets; see `_states`."""
    return _states(context, running, session, partial(_run_request, values))


def on_edit(context: AppContext, running: RunningDecodings, session: str, data: object) -> States:
    """The states of a decoding of the current text with the reader's edit; see `_states`."""
    return _states(context, running, session, partial(edit_request, context, data))


def _run_request(values: object) -> DecodeRequest:
    count = 2 + len(allowed_settings())
    checked = values if isinstance(values, list) else []
    if len(checked) != count:
        raise RequestError("wrong_number_of_values", WRONG_COUNT, count=count, given=len(checked))
    return decode_request(*checked)


def edit_request(context: AppContext, data: object) -> DecodeRequest:
    """The decoding of an edit. Raises UnrolledError for one that cannot be done."""
    what_if = WhatIf.parse(data)
    return what_if.request(context.tokenizer(what_if.checkpoint))


async def _states(
    context: AppContext, running: RunningDecodings, session: str, read: Callable[[], DecodeRequest]
) -> States:
    """Yield `progress` while a decoding takes long, then its `trace` and a `note` on it.

    The last state is a `note` alone if the decoding was stopped or found no place in the queue, `refused`
    with a sentence after a failure, and empty if the visitor has requested something else meanwhile.
    """
    watch = Watch()
    try:
        request = await in_thread(read)
        watch = running.begin(session)
        async with aclosing(in_steps(context, request, watch)) as steps:
            async for step in steps:
                if isinstance(step, str):
                    yield {"progress": step}
                else:
                    yield {} if watch.superseded else await in_thread(_result, context, step)
    except Exception as error:
        yield _failure(error, watch)
    finally:
        running.end(session, watch)


def _result(context: AppContext, trace: DecodingTrace) -> State:
    note = length_note(len(trace.source), context.config(trace.checkpoint).usual_length)
    return {"trace": trace_content(trace, context.label), "note": safe_text(note)}


def _failure(error: Exception, watch: Watch) -> State:
    """A decoding that was stopped has not failed."""
    is_stopped = isinstance(error, RequestError) and watch.cancelled.is_set()
    if is_stopped and watch.superseded:
        return {}
    sentence = form_failure(error, "a decoding")
    return {"note" if is_stopped or isinstance(error, QueueFullError) else "refused": sentence}


def server_functions(
    context: AppContext, running: RunningDecodings
) -> list[Callable[..., Awaitable[Response | None]]]:
    """The server functions of a `TraceView`, whose script calls them by name."""

    async def answer(states: Callable[[str], States], request: gr.Request) -> Response | None:
        page, session = page_of(request.scope), await session_of(request)
        if not isinstance(page, Page) or not session:
            return None
        state: State = {"note": page.refusal(CallKind.DECODING, request, session)}
        if not state["note"]:
            with owned_by(*owner_of(request, session)):
                state = await page.begun_work.first_state(states(session))
        # Encoded here, once: the server passes a response on as it is.
        return Response(await in_thread(json_text, state), media_type="application/json")

    async def begin_decoding(values: object, request: gr.Request) -> Response | None:
        return await answer(lambda session: on_run(context, running, session, values), request)

    async def begin_edit(data: object, request: gr.Request) -> Response | None:
        return await answer(lambda session: on_edit(context, running, session, data), request)

    return [begin_decoding, begin_edit]
