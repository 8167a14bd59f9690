"""The QR code of a link, which a class scans from the screen."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import gradio as gr

from demo.server.calls.small_questions import Answer, answer_to
from demo.work.requests.checks import RequestError

MAX_CHARACTERS = (
    800  # our limit: the code of a longer text is too fine for a camera at the back of a classroom
)


def on_qr_code(data: object) -> Answer:
    """The QR code of a text as a data URL. Raises RequestError if there is no text or it is too long."""
    import segno  # imported lazily, to keep the start of the page short

    text = data.get("text") if isinstance(data, Mapping) else None
    if not isinstance(text, str) or not 0 < len(text) <= MAX_CHARACTERS:
        raise RequestError(
            "no_qr_code",
            "The page makes a QR code of 1 to {limit} characters: a longer one is hard to scan. "
            "Send a longer link as text.",
            limit=MAX_CHARACTERS,
        )
    code: Any = segno.make_qr(text, error="m")
    return {"image": code.svg_data_uri(scale=4, dark="#000", light="#fff")}


async def qr_code(data: object, request: gr.Request) -> Answer:
    """Answer a `ShareBar`'s script, which calls this server function by its name."""
    return await answer_to(request, lambda _: partial(on_qr_code, data))
