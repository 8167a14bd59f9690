"""The Python that runs in the browser of the page without a server, beside the decoder in JavaScript.

Requests, sentences, captions and figures are those of the server. Each function takes and returns JSON, and a
refusal is {"refused": sentence}. Imports only the standard library.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import wraps
from typing import Any

from demo.captions.length import length_note
from demo.errors import sentence
from demo.i18n import in_language, say
from demo.operator.allowed_settings import allowed
from demo.operator.caps import MAX_OUTPUT_TOKENS
from demo.requests.checks import RequestError, check_fits, check_text
from demo.requests.compare import ComparisonRequest, comparison_request
from demo.requests.decode import DecodeRequest
from demo.requests.edit import WhatIf
from demo.requests.options import decoding_options
from demo.service.comparison.entries import DecodingOutcome, Entry, RowState, outcome_of
from demo.service.comparison.names import details, short_name
from demo.service.comparison.result import StrategyComparison
from demo.service.comparison.rows import (
    NO_TIME,
    ROW_SECONDS,
    TOTAL_SECONDS,
    decoding_order,
    waiting_entries,
)
from demo.service.decoding.without_output import without_output
from demo.views.compare.payload import strategies_payload
from demo.views.decode.source_tokens.chips import chips
from demo.views.shared.payload import json_text
from demo.views.trace.payload import trace_content
from models.decoding.status import Stop
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
    edit = WhatIf.parse({**request, "strategy": options.strategy, "settings": {}})
    decoding = DecodeRequest(edit.checkpoint, edit.text, options, edit.forced, edit.overrides)
    check_fits(checkpoint["label"], decoding.text, checkpoint["reads_pictures"])
    return {**asdict(decoding), "typed": edit.typed}


@answering
def view_data(trace: str, checkpoint: dict[str, Any]) -> dict[str, Any]:
    """The data of a trace for `TraceView`, and a note on its length."""
    read = _with_output(trace)
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
def strategy_name(settings: Any) -> dict[str, str]:
    """The name and the details of a strategy of the picker."""
    options = decoding_options(settings)
    return {"name": short_name(options), "details": details(options)}


@answering
def comparison_rows(request: dict[str, Any], checkpoint: dict[str, Any]) -> dict[str, Any]:
    """The settings of each row of a comparison, the order of the decodings, and their time in seconds."""
    checked = _comparison(request, checkpoint)
    check_fits(checkpoint["label"], checked.text, checkpoint["reads_pictures"])
    return {
        "settings": [asdict(settings) for settings in checked.strategies],
        "order": decoding_order(waiting_entries(checked.strategies)),
        "row_seconds": ROW_SECONDS,
        "total_seconds": TOTAL_SECONDS,
    }


@answering
def row_outcome(trace: str, milliseconds: float) -> dict[str, Any]:
    """The numbers and the text of a decoding that a comparison shows."""
    return asdict(outcome_of(_with_output(trace), milliseconds))


@answering
def comparison(
    request: dict[str, Any], checkpoint: dict[str, Any], rows: list[dict[str, Any]], run: str, finished: bool
) -> dict[str, Any]:
    """The data for `CompareView`; `rows` are the states of the rows, see demo/static/shell/comparing.js.

    No reference is scored, and no missed output is shown in the tree, since both need more than the decoder.
    """
    checked = _comparison({**request, "reference": ""}, checkpoint)
    entries = (_entry(*pair) for pair in zip(waiting_entries(checked.strategies), rows, strict=True))
    state = StrategyComparison(checked, tuple(entries), finished=finished, run=run)
    payload = strategies_payload(state, lambda _: checkpoint["label"])
    for row in payload["rows"]:
        row["request"]["better"] = []
    return payload


@answering
def refusal(message: dict[str, Any]) -> None:
    """The sentence about an error of the decoder."""
    raise UnrolledError(Message.from_dict(message))


def _with_output(trace: str) -> DecodingTrace:
    """The trace. Raises RequestError if it has no output."""
    read = DecodingTrace.from_json(trace)
    if not read.hypotheses:
        raise RequestError(without_output(read))
    return read


def _comparison(request: dict[str, Any], checkpoint: dict[str, Any]) -> ComparisonRequest:
    return comparison_request(
        request.get("checkpoint"),
        request.get("text"),
        request.get("reference"),
        request.get("strategies"),
        min(checkpoint["max_length"], MAX_OUTPUT_TOKENS),
    )


def _entry(waiting: Entry, row: dict[str, Any]) -> Entry:
    """The row in its state: one that was never started has no time, any other that failed a problem."""
    if row["state"] == "late":
        return replace(waiting, state=RowState.FAILED, problem=say(NO_TIME))
    outcome = _outcome(row["outcome"]) if row["state"] == RowState.DONE else None
    return replace(waiting, state=RowState(row["state"]), outcome=outcome, problem=row.get("problem", ""))


def _outcome(values: dict[str, Any]) -> DecodingOutcome:
    lists = {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
    lower = tuple((rank, text) for rank, text in values["lower"])
    return DecodingOutcome(**{**values, **lists, "lower": lower, "stop": Stop(values["stop"])})
