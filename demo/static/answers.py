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

from demo.compare.view.payload import strategies_payload
from demo.compare.work.reference import rounded_scores
from demo.compare.work.rows import DecodingOutcome, Row, RowState, StrategyComparison, outcome_of
from demo.compare.work.running import NO_TIME, ROW_SECONDS, TOTAL_SECONDS, decoding_order, waiting_rows
from demo.decode.earlier_results.trace_file import read_trace_file
from demo.decode.source_tokens.chips import chips
from demo.i18n import in_language, say
from demo.labs import lab_answer, ngrams, tokens
from demo.trace.payload import trace_content
from demo.widgets.answers.content import Controls, checked_options
from demo.widgets.captions.options import details, short_name
from demo.widgets.captions.output import length_note
from demo.widgets.figures.lost_output import with_better_output
from demo.widgets.view.payload import json_text
from demo.work.errors import form_sentence
from demo.work.operator.caps import MAX_OUTPUT_TOKENS, allowed_settings
from demo.work.requests.checks import RequestError, check_fits, check_text
from demo.work.requests.compare import ComparisonRequest, comparison_request
from demo.work.requests.decode import DecodeRequest, decoding_options, without_output
from demo.work.requests.edit import WhatIf
from models.decoding.judge.verdict import ScoredText, ScoredToken
from models.decoding.search.strategy import LengthNormalizer
from models.decoding.status import Stop
from models.decoding.strategies import setting_by_field
from models.decoding.trace import DecodingTrace, NextToken
from models.errors import Message, UnrolledError

Answer = Callable[..., Any]
LABS = {lab.name: lab for lab in (tokens.LAB, ngrams.LAB)}  # the labs that run without other packages


def answering(answer: Answer) -> Callable[[str, str], str]:
    """Let a function read its arguments from JSON, and answer with JSON in a language."""

    @wraps(answer)
    def answer_as_json(arguments: str, language: str) -> str:
        with in_language(language):
            try:
                return json_text(answer(**json.loads(arguments)))
            except UnrolledError as error:
                return json_text({"refused": form_sentence(error)})

    return answer_as_json


trace_file = answering(read_trace_file)  # the data of a reader's file for `TraceView`
token_chips = answering(chips)  # the data of `SourceTokens`


@answering
def decoder_arguments(request: dict[str, Any], checkpoint: dict[str, Any]) -> dict[str, Any]:
    """The arguments of the decoder for a request: text, options, forced tokens, a typed one, and attention.

    A request has the fields of the API, and those of an edit; other fields are those of the page's form.
    """
    names = {*allowed_settings(), *setting_by_field()}
    values = {name: value for name, value in request.items() if name in names}
    options = decoding_options(values, checkpoint["max_length"])
    edit = WhatIf.parse({**request, "strategy": options.strategy, "settings": {}})
    decoding = DecodeRequest(edit.checkpoint, edit.text, options, edit.forced, edit.overrides)
    check_fits(checkpoint["label"], decoding.text, checkpoint["reads_pictures"])
    return {**asdict(decoding), "typed": edit.typed}


@answering
def view_data(trace: str, checkpoint: dict[str, Any], better: dict[str, Any] | None = None) -> dict[str, Any]:
    """The data of a trace for `TraceView`, and a note on its length; `better` is an output that it missed."""
    read = _with_output(trace)
    if better:
        normalizer = LengthNormalizer(read.settings["normalizer"], read.settings["length_penalty"])
        read = with_better_output(read, _scored_text(better, normalizer))
    note = length_note(len(read.source), checkpoint["usual_length"])
    return {"trace": trace_content(read, lambda _: checkpoint["label"]), "note": note}


@answering
def lab(name: str, options: dict[str, Any]) -> dict[str, Any]:
    """The content of a lab, or a sentence as `refused`, with its controls."""
    return lab_answer(LABS[name], Controls(options=checked_options(options)))


@answering
def check_typed_text(text: Any) -> dict[str, Any]:
    """An empty answer to a text that may be tokenized while it is typed."""
    check_text(text)
    return {}


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
        "reference": checked.reference,
        "order": decoding_order(waiting_rows(checked.strategies)),
        "row_seconds": ROW_SECONDS,
        "total_seconds": TOTAL_SECONDS,
    }


@answering
def row_outcome(trace: str, milliseconds: float) -> dict[str, Any]:
    """The numbers and the text of a decoding that a comparison shows."""
    return asdict(outcome_of(_with_output(trace), milliseconds))


@answering
def comparison(
    request: dict[str, Any],
    checkpoint: dict[str, Any],
    rows: list[dict[str, Any]],
    reference: dict[str, Any] | None,
    scores: dict[str, Any],
    **state: Any,
) -> dict[str, Any]:
    """The data for `CompareView`; `state` has the other fields of a StrategyComparison.

    `rows` are the states of the rows, see demo/static/shell/compare.js; `reference` is the reference as
    demo/static/models/scoring.js scores it; `scores` has those of the texts by metric.
    """
    checked = _comparison(request, checkpoint)
    restored = (_row(*pair) for pair in zip(waiting_rows(checked.strategies), rows, strict=True))
    text = _scored_text(reference) if reference else None
    compared = StrategyComparison(
        checked, tuple(restored), reference=text, translates=checkpoint["translates"], **state
    )
    bleu_and_chrf = ((scores[metric]["values"], scores[metric]["signature"]) for metric in ("bleu", "chrf"))
    return strategies_payload(
        compared, lambda _: checkpoint["label"], rounded_scores(*bleu_and_chrf) if scores else None
    )


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


def _scored_text(values: dict[str, Any], normalizer: LengthNormalizer | None = None) -> ScoredText:
    """A text as scoring.js scores it."""
    tokens = [
        ScoredToken(**{**token, "alternative": token["alternative"] and NextToken(*token["alternative"])})
        for token in values["tokens"]
    ]
    return replace(
        ScoredText.from_tokens(values["text"], tokens, normalizer), unknown=tuple(values.get("unknown", ()))
    )


def _row(waiting: Row, values: dict[str, Any]) -> Row:
    """The row in its state. In the state "late" it was never started, since the time was used up."""
    if values["state"] == "late":
        return replace(waiting, state=RowState.FAILED, problem=say(NO_TIME))
    outcome = _outcome(values["outcome"]) if values["state"] == RowState.DONE else None
    problem = values.get("problem", "")
    return replace(waiting, state=RowState(values["state"]), outcome=outcome, problem=problem)


def _outcome(values: dict[str, Any]) -> DecodingOutcome:
    lists = {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
    lower = tuple((rank, text) for rank, text in values["lower"])
    return DecodingOutcome(**{**values, **lists, "lower": lower, "stop": Stop(values["stop"])})
