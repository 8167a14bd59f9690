"""Edits of a decoding: answered at once, or through Gradio's queue if they take time or are refused."""

from __future__ import annotations

from typing import Any

import gradio as gr

from demo.server.gradio_compat import event_data
from demo.server.queues import RAW_DECODING
from demo.trace.component import TraceView
from demo.work.context import AppContext
from demo.work.decoding.running import RunningDecodings
from demo.work.errors import guard
from demo.work.requests.decode import DecodeRequest, RequestError
from demo.work.requests.edit import WhatIf


def edit_request(context: AppContext, data: object) -> DecodeRequest:
    """The decoding of an event `edit`. Raises UnrolledError for one that cannot be done."""
    what_if = WhatIf.parse(data)
    return what_if.request(context.tokenizer(what_if.checkpoint))


def on_edit(context: AppContext, running: RunningDecodings, session: str, data: object) -> Any:
    """Decode the current text again, with the reader's edit.

    Returns `gr.skip()`, which changes nothing, if the visitor has requested something else meanwhile.
    """
    request = edit_request(context, data)
    if (under_way := running.take(session, request)) is None:
        return context.decode(request)
    try:
        trace = under_way.decoding.result()
    except RequestError:
        if not under_way.watch.superseded:
            raise
        return gr.skip()  # stopped before anything was found
    finally:
        running.end(session, under_way.watch)
    return gr.skip() if under_way.watch.superseded else trace


def wire_edits(context: AppContext, running: RunningDecodings, trace: TraceView) -> None:
    """Answer the edits of a view with their traces."""
    handler = guard(on_edit, context, running)

    def on_event(event: gr.EventData, request: gr.Request) -> Any:
        return handler(str(request.session_hash), event_data(event))

    trace.edit(on_event, None, trace, **RAW_DECODING).failure(js=trace.end_edit)
