"""Asking a view of Inspect as the page does."""

from __future__ import annotations

import json
from typing import Any

from demo.inspect.server_functions import on_inspect
from demo.work.context import AppContext
from demo.work.errors import sentence
from demo.work.requests.decode import DecodeRequest
from models.decoding.trace import DecodingTrace
from models.errors import UnrolledError


def ask(
    context: AppContext, view: str, trace: DecodingTrace, step: int = 0, /, **more: Any
) -> dict[str, Any]:
    """The answer of a view to the page's script about a step of the best output; `more` are its options."""
    answer = answered(context, question(view, trace, step, options=more))
    json.dumps(answer, allow_nan=False)  # as it is sent
    return answer


def answered(context: AppContext, data: object) -> dict[str, Any]:
    """The content of a view, or its refusal, as `answer_to` sends it."""
    try:
        return on_inspect(context, data)
    except UnrolledError as error:
        return {"refused": sentence(error)}


def question(view: str, trace: DecodingTrace, step: int, **more: Any) -> dict[str, Any]:
    """A request of the page's script."""
    ids = [node.token_id for node in trace.path(trace.hypotheses[0].node)]
    data = {
        "checkpoint": trace.checkpoint,
        "text": trace.source_text,
        "prefix": ids[:step],
        "token": ids[step],
    }
    return {**data, "rival": None, "view": view, "output": ids, **more}


def decoded(context: AppContext, checkpoint: str, text: str = "") -> DecodingTrace:
    """The trace of a text, by default of the checkpoint's first example."""
    return context.decode(DecodeRequest(checkpoint, text or context.config(checkpoint).examples[0]))
