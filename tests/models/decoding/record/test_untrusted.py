"""Untrusted traces: those of every search are read, and tampered ones are refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from demo.api.answers import translation_answer
from models.decoding.record.untrusted import read_untrusted
from models.decoding.record_json import TraceError
from models.decoding.trace import DecodingTrace
from tests.fakes.traces import hostile_trace, library_trace
from tests.refusals import refused

Data = dict[str, Any]


def as_data(trace: DecodingTrace) -> Data:
    data: Data = json.loads(trace.to_json())
    return data


@pytest.mark.parametrize("trace", [library_trace(layers=2, heads=2), hostile_trace()])
def test_an_untrusted_trace_is_read_as_written(trace: DecodingTrace) -> None:
    assert read_untrusted(trace.to_json()).hypotheses == DecodingTrace.from_json(trace.to_json()).hypotheses


@pytest.mark.parametrize("within", [translation_answer, lambda *of: [translation_answer(*of)]])
def test_the_whole_answer_of_an_endpoint_is_read_as_its_trace(within: Callable[..., object]) -> None:
    trace = library_trace()
    assert read_untrusted(json.dumps(within(trace, True))) == read_untrusted(trace.to_json())
    with refused(TraceError, "trace_other_schema"):
        read_untrusted(json.dumps(within(trace, False)))


def change(path: str, value: object) -> Callable[[Data], None]:
    """Puts a value at a path such as `steps.0.nodes.1.parent`."""
    *keys, last = (int(key) if key.isdecimal() else key for key in path.split("."))

    def changed(data: Any) -> None:
        for key in keys:
            data = data[key]
        data[last] = value

    return changed


TAMPERED = {
    "a circle": change("steps.0.nodes.0.parent", 0),
    "a parent of its own step": change("steps.1.nodes.0.parent", 2),
    "a parent that is not there": change("steps.1.nodes.0.parent", 99),
    "one id twice": change("steps.0.nodes.0.id", 1),
    "an output that ends nowhere": change("hypotheses.0.node", 99),
    "a parent of another group": change("steps.1.nodes.0.group", 3),
    "no output": change("hypotheses", []),
    "an output that ends before its last token": change("hypotheses.0.node", 0),
    "an output without tokens": change("hypotheses.0.token_ids", []),
    "a probability above 1": change("hypotheses.0.log_prob", 0.5),
    "a candidate's probability above 1": change("steps.0.nodes.0.log_prob", 1000),
    "a total above 1": change("steps.0.nodes.0.cumulative", 1000),
    "more entropy than there can be": change("steps.0.rows.0.entropy", 1000),
    "less entropy than none": change("steps.0.rows.0.entropy", -1),
    "a chance above 1": change("steps.0.rows.0.chances", [2, 0]),
    "fewer chances than tokens": change("steps.0.rows.0.chances", []),
    "a candidate's chance below 0": change("steps.0.nodes.0.chance", -1),
    "no step": change("steps", []),
    "a step twice": change("steps.1.index", 0),
    "a text for a number": change("steps.0.nodes.0.log_prob", "<script>"),
    "a list for a text": change("source_text", ["a"]),
    "an object for a text": change("checkpoint", {"a": 1}),
    "true for a number": change("steps.0.nodes.0.rank", True),
    "half a character": change("source_text", "\ud83d"),
    "an infinite entropy": change("steps.0.rows.0.entropy", float("inf")),
    "no number": change("steps.0.rows.0.entropy", float("nan")),
    "a huge number": change("steps.0.nodes.0.id", 10**30),
    "a ragged attention": change("steps.0.rows.0.attention.0.0", [1.0]),
    "an attention of another depth": change("steps.0.rows.0.attention", [[0.5, 0.5]]),
    "no attention in one row": change("steps.0.rows.0.attention", None),
    "a weight that is no share": change("steps.0.rows.0.attention.0.0.0", 7.0),
    "an unknown strategy": change("strategy", "__class__"),
    "an unknown field": change("steps.0.nodes.0.more", 1),
    "a length penalty in words": change("settings.length_penalty", "much"),
    "a length penalty without bounds": change("settings.length_penalty", 1e6),
    "settings that are deep": change("settings.beam_size", {"a": {}}),
    "settings that are a list": change("settings", [1]),
    "a negative opening": change("opening", -1),
    "weights for another source": change("overrides", [{"step": 0, "weights": [1.0]}]),
    "utilities of other outputs": change("utilities", {"metric": "x", "signature": "x", "matrix": [[1.0]]}),
    "utilities of no metric": change(
        "utilities", {"metric": "x", "signature": "x", "matrix": [[1.0, 1.0]] * 2}
    ),
    "another schema": change("schema_version", 99),
}


@pytest.mark.parametrize("tamper", TAMPERED.values(), ids=TAMPERED)
def test_a_tampered_trace_is_refused(tamper: Callable[[Data], None]) -> None:
    data = as_data(library_trace())
    tamper(data)
    with refused(TraceError, ("trace_damaged", "trace_other_schema")):
        read_untrusted(json.dumps(data))


@pytest.mark.parametrize(
    "text",
    ["", "{", "null", "[]", '"a"', "[" * 100_000, "1" * 10_000, '{"schema_version": 2}', "\x00", "<html>"],
    ids=repr,
)
def test_a_text_that_is_no_trace_is_refused(text: str) -> None:
    with pytest.raises(TraceError):
        read_untrusted(text)


def test_a_trace_with_too_many_outputs_is_refused() -> None:
    data = as_data(library_trace())
    data["hypotheses"] *= 300
    with refused(TraceError, "trace_damaged", "600 outputs, not 1 to 500"):
        read_untrusted(json.dumps(data))
