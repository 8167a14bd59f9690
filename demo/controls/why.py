"""Why the network wrote a token: asked by the view for the step on show, answered by one request."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import gradio as gr

from demo.errors import sentence
from demo.requests.owner import owned_by
from demo.requests.why import WhyRequest
from demo.server.gradio_compat import page_of, session_of
from demo.server.page import Page, owner_of
from demo.server.rates import Ask
from demo.service.context import AppContext
from demo.service.inspection import explained
from models.errors import UnrolledError

Answer: TypeAlias = "dict[str, Any]"


def on_why(context: AppContext, data: object) -> Answer:
    """What each token contributes, or, as `refused`, a sentence that says why there is no answer."""
    try:
        return {**explained(context, WhyRequest.of(data))}
    except UnrolledError as error:
        return {"refused": sentence(error)}


def asked_why(context: AppContext) -> list[Callable[..., Awaitable[Answer]]]:
    """The server function of a `TraceView` by whose name its card asks."""

    # A function of its own: Gradio finds the request by its annotation.
    async def why(data: object, request: gr.Request) -> Answer:
        page, session = page_of(request.scope), await session_of(request)
        if not isinstance(page, Page) or not session:
            return {"refused": ""}
        if refusal := page.refusal(Ask.SMALL, request, session):
            return {"refused": refusal}
        with owned_by(owner_of(request, session)):
            return await asyncio.to_thread(on_why, context, data)

    return [why]
