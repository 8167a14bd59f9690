"""An earlier result restores the controls of its request from its trace."""

from __future__ import annotations

import json
from typing import Any

import gradio as gr
import pytest

from demo.decode.filling import DecodeTab, on_reopen
from demo.decode.tab import build_decode_tab
from demo.links import Link
from demo.links.targets.decode import all_controls
from demo.trace.payload import trace_payload
from demo.work.context import AppContext
from demo.work.requests.checks import RequestError
from demo.work.requests.decode import DecodeRequest, decoding_options
from models.decoding.strategies import description_of, names
from tests.demo.conftest import LETTERS, TEXTS, WORDS
from tests.fakes.links import query


@pytest.fixture
def tab(context: AppContext) -> DecodeTab:
    with gr.Blocks(analytics_enabled=False):
        return build_decode_tab(context, gr.BrowserState(None))


def reopened(context: AppContext, tab: DecodeTab, request: dict[str, Any]) -> dict[Any, Any]:
    """The updates by their widgets."""
    *updates, choice, message = on_reopen(context, tab, request)
    return dict(zip(all_controls(tab), updates, strict=True)) | {"chosen": choice, "message": message}


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_a_trace_has_the_options_of_its_request(context: AppContext, tab: DecodeTab, name: str) -> None:
    varied = {"max_length": 5, "beam_size": 3, "num_groups": 3, "temperature": 1.5, "seed": 7}
    if name == "exhaustive":
        varied["max_length"] = 1
    expected = {*description_of(name).settings, "max_length"}
    values = {"strategy": name, **{key: value for key, value in varied.items() if key in expected}}
    request = decoding_options(values)
    trace = context.decode(DecodeRequest(WORDS, TEXTS[1], request))
    options = json.loads(trace_payload(trace))["options"]
    assert {key: options.get(key) for key in values} == values
    assert decoding_options(options) == request
    # By its address.
    address = query("decode", {"checkpoint": WORDS, "text": TEXTS[1], **options})
    link = Link.parse([tuple(part.split("=", 1)) for part in address.split("&")], ["decode"])  # type: ignore[misc]
    assert decoding_options(link.take_settings(60)) == request
    assert link.faults == []
    # By its controls.
    result = reopened(context, tab, {"checkpoint": WORDS, "text": TEXTS[1], "settings": options})
    for setting in values:
        assert result[tab.strategy.controls[setting]]["value"] == values[setting]
    assert (result["chosen"], result["message"]) == (WORDS, {"run": False, "notice": ""})


@pytest.mark.slow
def test_reopening_a_result_restores_the_controls(context: AppContext, tab: DecodeTab) -> None:
    request = {"checkpoint": WORDS, "text": "adiós", "settings": {"beam_size": 7}, "run": True}
    result = reopened(context, tab, request)
    assert result[tab.checkpoint]["value"] == WORDS
    assert result[tab.source.text] == "adiós"
    assert result[tab.strategy.controls["beam_size"]]["value"] == 7
    assert result[tab.source.examples[0]].value == TEXTS[0]
    assert result["message"] == {"run": True, "notice": ""}


@pytest.mark.slow
@pytest.mark.parametrize(
    "entry",
    [
        None,
        [],
        {},
        {"checkpoint": LETTERS, "text": "a", "settings": []},
        {"checkpoint": LETTERS, "text": "a", "settings": {"beam_size": "<b>"}},
        {"checkpoint": LETTERS, "text": "a", "settings": {"__class__": 1}},
        {"checkpoint": LETTERS, "text": 3, "settings": {}},
        {"checkpoint": LETTERS, "text": "data:image/png;base64,AAAA", "settings": {}},
    ],
)
def test_malformed_entries_are_refused(context: AppContext, tab: DecodeTab, entry: object) -> None:
    with pytest.raises(RequestError):
        on_reopen(context, tab, {**entry, "run": True} if isinstance(entry, dict) else entry)


@pytest.mark.slow
@pytest.mark.parametrize("run", [False, True])
def test_a_result_of_an_absent_checkpoint_leaves_the_controls(
    context: AppContext, tab: DecodeTab, run: bool
) -> None:
    request = {"checkpoint": "another", "text": "hola", "settings": {}, "run": run}
    result = reopened(context, tab, request)
    message = result.pop("message")
    assert {str(update) for update in result.values()} == {str(gr.skip())}
    assert message["run"] is False
    assert message["notice"].startswith("The controls stay as they are: ")
    assert "another" in message["notice"]
    (*_, message) = on_reopen(context, tab, {"checkpoint": "", "text": "hola", "settings": {}})
    assert message["notice"] == "The controls stay as they are: It does not say which checkpoint made it."
