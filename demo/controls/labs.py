"""A look into a lab: asked by the view for what the reader chose, answered by one request."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import gradio as gr

from demo.errors import sentence
from demo.i18n import say
from demo.inspect.controls import Chosen
from demo.inspect.view import as_sent, controls_as_sent
from demo.labs import labs
from demo.requests.checks import RequestError
from demo.requests.inspect import checked_options
from demo.server.gradio_compat import page_of, session_of
from demo.server.page import Page
from demo.server.rates import Ask
from models.errors import UnrolledError, shown


def on_lab(data: object) -> dict[str, Any]:
    """What a lab shows, or, as `refused`, a sentence that says why it shows nothing, with its controls."""
    chosen = Chosen()
    try:
        asked = data if isinstance(data, Mapping) else {}
        lab = next((each for each in labs() if each.name == asked.get("lab")), None)
        if lab is None:
            raise RequestError(say("There is no lab {value}.", value=shown(asked.get("lab"))))
        chosen.options = checked_options(asked.get("options", {}))
        return as_sent(lab.look(chosen), chosen.controls)
    except UnrolledError as error:
        return {"refused": sentence(error), "controls": controls_as_sent(chosen.controls)}


def asked_of_labs() -> list[Callable[..., Awaitable[dict[str, Any]]]]:
    """Server functions of a `LabsView`, by whose names it asks."""

    # A function of its own: Gradio finds the request by its annotation.
    async def look(data: object, request: gr.Request) -> dict[str, Any]:
        page, session = page_of(request.scope), await session_of(request)
        if not isinstance(page, Page) or not session:
            return {"refused": ""}
        if refusal := page.refusal(Ask.SMALL, request, session):
            return {"refused": refusal}
        return await asyncio.to_thread(on_lab, data)

    return [look]
