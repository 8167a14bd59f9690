"""Small questions of the page's scripts, beside Gradio's queue: who may ask, and where answers are made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import gradio as gr

from demo.errors import failure_text
from demo.requests.owner import owned_by
from demo.server.gate.rates import CallKind
from demo.server.gradio_compat import page_of, session_of
from demo.server.page import Page, owner_of
from demo.server.threads import in_thread

Answer: TypeAlias = dict[str, Any]


async def answer_to(request: gr.Request, prepare: Callable[[str], Callable[[], Answer]]) -> Answer:
    """What `prepare` returns for the session that asks, called in a thread of its own.

    Whoever asks too often is told so as `refused`, and so is what goes wrong; what nobody expected is logged.
    """
    page, session = page_of(request.scope), await session_of(request)
    if not isinstance(page, Page) or not session:
        return {"refused": ""}
    if refusal := page.refusal(CallKind.SMALL, request, session):
        return {"refused": refusal}
    try:
        answer = prepare(session)
        with owned_by(*owner_of(request, session)):
            return await in_thread(answer)
    except Exception as error:
        return {"refused": failure_text(error, "a question of the page's script")}
