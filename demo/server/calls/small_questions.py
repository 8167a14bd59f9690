"""Small requests of the page's scripts, outside Gradio's queue."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import gradio as gr

from demo.server.gate.rates import CallKind
from demo.server.gradio_compat import page_of, session_of
from demo.server.page import Page, owner_of
from demo.server.threads import in_thread
from demo.work.errors import failure_text
from demo.work.requests.owner import owned_by

Answer: TypeAlias = dict[str, Any]


async def answer_to(request: gr.Request, prepare: Callable[[str], Callable[[], Answer]]) -> Answer:
    """Run the function that `prepare` returns for the session, in its own thread, and return its answer.

    A rate limit or an error gives an answer with a sentence as `refused`; unexpected errors are logged.
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
