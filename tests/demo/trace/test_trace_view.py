from __future__ import annotations

import base64
import json
import subprocess
import sys
from dataclasses import replace
from typing import Any

import gradio as gr
import numpy as np
import pytest

from demo.trace.component import STYLE, TraceView, template
from demo.trace.payload import FULL_SCALE, TracePayload, trace_payload
from demo.trace.trace_card import cards
from models.decoding.record.adjusted import DECIMALS
from models.decoding.record_json import by_field
from models.decoding.trace import BeamNode, DecodingTrace, Hypothesis
from tests.demo.scripts.payload_types import PATH, declarations
from tests.fakes.traces import END, F, Spec, build_trace, hostile_trace, large_trace, library_trace


def read(trace: DecodingTrace) -> dict[str, Any]:
    return json.loads(trace_payload(trace))


def as_recorded(trace: DecodingTrace) -> DecodingTrace:
    """The trace with its numbers rounded like the recorder's."""
    content = json.loads(trace.to_json(), parse_float=lambda text: round(float(text), DECIMALS))
    return DecodingTrace.from_json(json.dumps(content))


def records(table: dict[str, list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]


def test_the_payload_holds_every_candidate_and_hypothesis() -> None:
    trace = library_trace()
    payload = read(trace)["trace"]
    for node, packed in zip(trace.nodes.values(), records(payload["nodes"]), strict=True):
        numbers = {
            name: pytest.approx(packed[name], abs=1e-6) for name in ("log_prob", "cumulative", "score")
        }
        assert node._replace(**numbers) == BeamNode(**by_field(packed))
    result = [
        Hypothesis(**{**by_field(row), "token_ids": tuple(row["token_ids"])})
        for row in records(payload["hypotheses"])
    ]
    assert [(h.node, h.text, h.ended) for h in result] == [
        (h.node, h.text, h.ended) for h in trace.hypotheses
    ]
    assert payload["steps"] == [[len(step.rows), len(step.nodes)] for step in trace]


def test_attention_survives_the_packing() -> None:
    trace = library_trace(layers=2, heads=3)
    block = read(trace)["trace"]["attention"]
    weights = np.frombuffer(base64.b64decode(block["data"]), dtype="<u2") / FULL_SCALE
    expected = [row.attention for step in trace for row in step.rows]
    assert weights.reshape(-1, *block["shape"]) == pytest.approx(np.asarray(expected), abs=1e-5)


def test_a_trace_without_attention_has_no_heatmap() -> None:
    payload = read(library_trace(attention=False))
    assert payload["trace"]["attention"] is None
    assert payload["figures"]["attention"] is None
    assert payload["figures"]["tree"] is not None


def test_a_probability_of_zero_is_valid_json() -> None:
    steps: list[list[Spec]] = [[(None, "</s>", 1.0, F, END)]]
    trace = build_trace("xy", steps, [(0, True)])
    node = trace.steps[0].nodes[0]._replace(log_prob=float("-inf"), cumulative=float("-inf"))
    row = replace(trace.steps[0].rows[0], node=None)
    impossible = replace(trace, steps=(replace(trace.steps[0], nodes=(node,), rows=(row,)),))
    assert read(impossible)["trace"]["nodes"]["log_prob"] == [None]


def test_every_spelling_has_a_label() -> None:
    trace = hostile_trace()
    labels = read(trace)["labels"]
    assert labels["</script>"] == ["</script>", "&lt;/script&gt;"]
    assert {token.surface for token in trace.source} <= labels.keys()
    assert {top.token for step in trace for row in step.rows for top in row.top} <= labels.keys()


def test_the_payload_may_stand_in_a_script_element() -> None:
    text = trace_payload(hostile_trace())
    assert "<" not in text
    assert "\u2028" not in text
    assert read(hostile_trace())["trace"]["source"]["surface"][0] == "</script><script>alert(1)</script>"


@pytest.mark.slow
def test_an_ordinary_payload_is_small_and_a_large_one_bearable() -> None:
    assert len(trace_payload(as_recorded(library_trace()))) < 33_000  # a third of it is the listing
    assert len(trace_payload(as_recorded(large_trace()))) < 900_000


def test_a_trace_without_steps_is_shown() -> None:
    payload = read(replace(library_trace(), steps=(), hypotheses=()))
    assert payload["figures"] == dict.fromkeys(name for card in cards() for name in card.figures)


def test_the_component_takes_a_trace_or_nothing() -> None:
    with gr.Blocks(analytics_enabled=False):
        view = TraceView()
        assert view.postprocess(None) is None
        assert isinstance(view.postprocess(library_trace()), str)
        assert view.preprocess("anything a browser sends") is None


def test_nothing_is_interpolated_into_the_template() -> None:
    # gr.HTML runs both syntaxes on the template and the style, with the value in scope.
    assert not any(mark in text for mark in ("${", "{{", "`") for text in (template(), STYLE))


@pytest.mark.slow
def test_plotly_is_imported_only_for_drawing() -> None:
    check = "import sys, demo.trace.payload; sys.exit('plotly.graph_objects' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


def test_there_is_one_sentence_for_each_hypothesis() -> None:
    captions = read(library_trace())["captions"]
    assert [len(captions[name]) for name in ("output", "step", "attention")] == [2, 2, 2]


def test_the_types_for_the_scripts_are_those_of_the_payload() -> None:
    assert PATH.read_text(encoding="utf-8") == declarations(), "run `make payload-types`"


def test_the_payload_has_its_declared_fields() -> None:
    content = read(library_trace())
    cards_own = {name for card in cards() for name in card.payload}
    assert content.keys() == {*TracePayload.__annotations__, *cards_own}
