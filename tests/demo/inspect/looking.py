"""Asking a view of Inspect as the page does."""

from __future__ import annotations

import json
from typing import Any

from demo.controls.inspection import on_inspect
from demo.errors import sentence
from demo.requests.decode import DecodeRequest
from demo.service.context import AppContext
from models.decoding.trace import DecodingTrace
from models.errors import UnrolledError


def ask(
    context: AppContext, view: str, trace: DecodingTrace, step: int = 0, /, **more: Any
) -> dict[str, Any]:
    """What the page's script is answered about a step of the best output; `more` are options of the view."""
    answer = answered(context, question(view, trace, step, options=more))
    json.dumps(answer, allow_nan=False)  # as it is sent
    return answer


def answered(context: AppContext, asked: object) -> dict[str, Any]:
    """What a view shows, or why it shows nothing, as `answer_to` sends it."""
    try:
        return on_inspect(context, asked)
    except UnrolledError as error:
        return {"refused": sentence(error)}


def question(view: str, trace: DecodingTrace, step: int, **more: Any) -> dict[str, Any]:
    """As the page's script asks."""
    ids = [node.token_id for node in trace.path(trace.hypotheses[0].node)]
    asked = {
        "checkpoint": trace.checkpoint,
        "text": trace.source_text,
        "prefix": ids[:step],
        "token": ids[step],
    }
    return {**asked, "rival": None, "view": view, "output": ids, **more}


def decoded(context: AppContext, checkpoint: str, text: str = "") -> DecodingTrace:
    """Of an example of the checkpoint unless a text is given."""
    return context.decode(DecodeRequest(checkpoint, text or context.config(checkpoint).examples[0]))
