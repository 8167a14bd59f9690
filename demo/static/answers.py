"""The Python that runs in the browser of the page without a server, beside the decoder in JavaScript.

Requests, sentences, captions and figures are those of the server. Each function takes and returns JSON, and a
refusal is {"refused": sentence}. Imports only the standard library.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from functools import wraps
from typing import Any

from demo.captions.length import length_note
from demo.errors import sentence
from demo.i18n import in_language
from demo.operator.allowed_settings import allowed
from demo.requests.checks import RequestError, check_fits, check_text
from demo.requests.decode import DecodeRequest
from demo.requests.edit import WhatIf
from demo.requests.options import decoding_options
from demo.service.decoding.without_output import without_output
from demo.views.decode.source_tokens.chips import chips
from demo.views.shared.payload import json_text
from demo.views.trace.payload import trace_content
from models.decoding.strategies import setting_by_field
from models.decoding.trace import DecodingTrace
from models.errors import Message, UnrolledError

Answer = Callable[..., Any]


def answering(answer: Answer) -> Callable[[str, str], str]:
    """Let a function read its arguments from JSON, and answer with JSON in a language."""

    @wraps(answer)
    def answered(arguments: str, language: str) -> str:
        with in_language(language):
            try:
                return json_text(answer(**json.loads(arguments)))
            except UnrolledError as error:
                return json_text({"refused": sentence(error)})

    return answered


@answering
def decoder_arguments(request: dict[str, Any], checkpoint: dict[str, Any]) -> dict[str, Any]:
    """The arguments of the decoder for a request: text, options, forced tokens, a typed one, and attention.

    A request has the fields of the API, and those of an edit; other fields are those of the page's form.
    """
    names = {*allowed(), *setting_by_field()}
    values = {name: value for name, value in request.items() if name in names}
    options = decoding_options(values, checkpoint["max_length"])
    edit = WhatIf.of({**request, "strategy": options.strategy, "settings": {}})
    decoding = DecodeRequest(edit.checkpoint, edit.text, options, edit.forced, edit.overrides)
    check_fits(checkpoint["label"], decoding.text, checkpoint["reads_pictures"])
    return {**asdict(decoding), "typed": edit.typed}


@answering
def view_data(trace: str, checkpoint: dict[str, Any]) -> dict[str, Any]:
    """The data of a trace for `TraceView`, and a note on its length."""
    read = DecodingTrace.from_json(trace)
    if not read.hypotheses:
        raise RequestError(without_output(read))
    note = length_note(len(read.source), checkpoint["usual_length"])
    return {"trace": trace_content(read, lambda _: checkpoint["label"]), "note": note}


@answering
def check_typed_text(text: Any) -> dict[str, Any]:
    """An empty answer to a text that may be tokenized while it is typed."""
    check_text(text)
    return {}


@answering
def token_chips(
    ids: list[int], surfaces: list[str], spans: list[list[int]], unknown: list[str]
) -> dict[str, Any]:
    """The data of `SourceTokens`."""
    return chips(ids, surfaces, spans, unknown)


@answering
def refusal(message: dict[str, Any]) -> None:
    """The sentence about an error of the decoder."""
    raise UnrolledError(Message.from_dict(message))
