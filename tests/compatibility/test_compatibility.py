"""Traces, links and calls that people saved with an earlier version work; see `__init__.py`."""

import json
import re
from dataclasses import asdict, is_dataclass
from functools import reduce
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import parse_qsl

import gradio as gr
import pytest
from starlette.datastructures import QueryParams

from demo.api.arguments import REQUIRED
from demo.api.endpoints import ENDPOINTS
from demo.links import Link
from demo.links.notice.component import LinkNotice
from demo.page.interface import build_demo
from demo.trace.payload import trace_payload
from demo.work.errors import guard
from demo.work.requests.decode import DecodeRequest, decoding_options, default_options
from models.decoding.status import Status
from models.decoding.strategies import names
from models.decoding.trace import SCHEMA_VERSION, AttentionOverride, DecodingTrace
from tests.compatibility.sameness import check_alike, check_same, without_new
from tests.fakes.late_answers import filled_by, handler_of

HERE = Path(__file__).parent
TRAINED_AGAIN = {"spa-eng-gru"}  # checkpoints with new weights: their outputs differ, but not their format
# Examples that have been replaced, since they no longer show their point. Links do not name them.
SPANISH = "Ayer encontré una {} antigua en el pueblo.", "Hay una {} antigua en el pueblo de mi madre."
ENGLISH = "Yesterday I found an old {} in the village.", "There is an old {} in my mother's village."
NOUNS = (SPANISH, "biblioteca"), (SPANISH, "estación"), (ENGLISH, "library")
OTHER_EXAMPLES = {before.format(noun): now.format(noun) for (before, now), noun in NOUNS}
FIRST_EXAMPLE = {"¿Dónde está la biblioteca?": "Ganó el premio."}  # the page opens with another example
# A caption and the titles of axes that have become clearer.
OTHER_TITLE = "score ↑ (hypothesis 1 drawn level)", "score, relative to hypothesis 1 ↑"
OTHER_TITLES = OTHER_TITLE, ("step, read", "step"), ("source, read", "source"), ("output, written", "output")
OTHER_WORDS = ("Least certain token", "Least probable token"), ('"hovermode":"closest",', ""), *OTHER_TITLES
NAMES = re.compile(r"there are: dates-transformer.*")  # lists of checkpoints, which may grow


def text_of(name):
    return (HERE / name).read_text(encoding="utf-8")


def saved(name):
    return json.loads(text_of(name))


REQUESTS, LINKS, CALLS = saved("requests.json"), saved("links.json"), saved("api.json")
TRACES = sorted(path.stem for path in (HERE / "traces").iterdir())
PAYLOADS = sorted(path.stem for path in (HERE / "payload").iterdir())


# Traces, as the page's download writes them


@pytest.mark.parametrize("name", [name for name in TRACES if name != "version_1"])
def test_a_trace_is_read_and_written_unchanged(name):
    trace = DecodingTrace.from_json(text_of(f"traces/{name}.json"))
    assert json.loads(trace.to_json()) == saved(f"traces/{name}.json")


def test_the_traces_on_record_have_every_edit_and_every_utility():
    traces = [DecodingTrace.from_json(text_of(f"traces/{name}.json")) for name in TRACES]
    assert any(trace.forced for trace in traces)
    assert any(trace.overrides for trace in traces)
    assert {trace.utilities.metric for trace in traces if trace.utilities} == {"bleu", "chrf"}


@pytest.mark.slow
@pytest.mark.parametrize("strategy", names())
def test_a_strategy_answers_and_records_in_the_form_on_record(strategy, untouched):
    """Strategies without an entry on record are tested too."""
    before = next(call["answer"] for call in CALLS if "trace" in call.get("answer", ()))
    settings = {"strategy": strategy, "max_length": 3, "trace": True}
    answer = called(untouched, "translate", {"checkpoint": "reverse-gru", "text": "ab", **settings})["answer"]
    assert list(without_new(answer, before)) == list(before)
    for part in ("search", "trace"):
        assert before[part].keys() <= answer[part].keys()
    assert before["hypotheses"][0].keys() <= answer["hypotheses"][0].keys()
    assert answer["strategy"] == strategy
    assert json.loads(DecodingTrace.from_json(json.dumps(answer["trace"])).to_json()) == answer["trace"]


def test_the_first_version_of_a_trace_is_still_read():
    before = saved("traces/version_1.json")
    trace = DecodingTrace.from_json(text_of("traces/version_1.json"))
    assert before["schema_version"] == 1
    assert trace.exploration is None
    assert [output.text for output in trace.hypotheses] == ["cba", "cb"]
    assert [node.token for node in trace.path(trace.hypotheses[0].node)] == ["c", "b", "a", "</s>"]
    after = json.loads(trace.to_json())
    assert after.pop("schema_version") == SCHEMA_VERSION > before.pop("schema_version")
    check_same(after, before, more=True)
    assert json.loads(trace_payload(trace))["trace"]["source_text"] == "abc"


@pytest.mark.parametrize("name", REQUESTS)
def test_the_same_request_is_decoded_as_before(name, untouched):
    record, before = REQUESTS[name], saved(f"traces/{name}.json")
    overrides = tuple(
        AttentionOverride(**{**edit, "weights": tuple(edit["weights"])}) for edit in record["overrides"]
    )
    settings = decoding_options(record["settings"])
    checkpoint, text, forced = record["checkpoint"], record["text"], tuple(record["forced"])
    request = DecodeRequest(checkpoint, text, settings, forced, overrides)
    trace = untouched.decode(request)
    after = json.loads(trace.to_json())
    assert after.pop("schema_version") >= before.pop("schema_version")
    if name == "exhaustive":  # it once scored outputs with padding, which is now forbidden
        check_same(outputs(trace), outputs(DecodingTrace.from_json(text_of(f"traces/{name}.json"))))
    else:
        check = check_alike if checkpoint in TRAINED_AGAIN else check_same
        check(after, before, more=True)


def outputs(trace):
    """Return the result of every path without padding, and the best ones."""
    paths = {
        " ".join(step.token for step in trace.path(node_id)): [
            node.cumulative,
            node.status.value,
            node.reason.value,
        ]
        for node_id, node in trace.nodes.items()
    }
    best = [[output.text, output.log_prob, output.score, output.ended] for output in trace.hypotheses]
    return {"paths": {path: result for path, result in paths.items() if "<pad>" not in path}, "best": best}


def test_forced_tokens_and_replaced_attention_are_in_their_traces():
    forced = DecodingTrace.from_json(text_of("traces/forced.json"))
    best = forced.path(forced.hypotheses[0].node)
    assert [node.token_id for node in best[: len(forced.forced)]] == REQUESTS["forced"]["forced"]
    assert all(node.status is not Status.PRUNED for node in best)
    replaced = DecodingTrace.from_json(text_of("traces/overrides.json"))
    for override in replaced.overrides:
        assert replaced.steps[override.step].rows[0].attention[0][0] == override.weights


@pytest.mark.parametrize("name", PAYLOADS)
def test_the_browser_is_sent_the_same_payload(name):
    trace = DecodingTrace.from_json(text_of(f"traces/{name}.json"))
    before = reduce(lambda text, words: text.replace(*words), OTHER_WORDS, text_of(f"payload/{name}.json"))
    check_same(json.loads(trace_payload(trace)), json.loads(before), more=True)


# Programs that call the page


def called(context, name, arguments):
    """Return the answer of an endpoint to named arguments, or its refusal."""
    endpoint = next(endpoint for endpoint in ENDPOINTS if endpoint.name == name)
    assert arguments.keys() <= {argument.name for argument in endpoint.arguments}
    values = [arguments.get(argument.name, argument.default) for argument in endpoint.arguments]
    try:
        return {"answer": guard(endpoint.handler, context, for_programs=True)(*values)}
    except gr.Error as error:
        return {"error": error.message}


@pytest.mark.parametrize("index", range(len(CALLS)))
def test_a_call_is_answered_as_before(index, untouched):
    call = CALLS[index]
    actual = called(untouched, call["endpoint"], call["arguments"])
    if call["endpoint"] == "checkpoints":  # there may be more checkpoints
        names = {entry["name"] for entry in call["answer"]}
        actual["answer"] = [entry for entry in actual["answer"] if entry["name"] in names]
        for entry, before in zip(actual["answer"], call["answer"], strict=True):  # and more examples
            entry["examples"] = [text for text in entry["examples"] if text in before["examples"]]
    search = call.get("answer", {}).get("search", {}) if isinstance(call.get("answer"), dict) else {}
    if search and call["answer"]["strategy"] in ("exact", "exhaustive"):  # padding is now forbidden
        assert actual["answer"]["search"]["expanded"] <= search["expanded"]
        for name in ("expanded", "recorded", "seen"):
            search.pop(name), actual["answer"]["search"].pop(name)
    expected = {name: call[name] for name in ("answer", "error") if name in call}
    # There may be more methods of attribution and fields of a trace; times and versions are not on record.
    more = call["endpoint"] in ("attribute", "evaluate") or call["arguments"].get("trace", False)
    check = check_alike if call["arguments"].get("checkpoint") in TRAINED_AGAIN else check_same
    check(json.loads(json.dumps(actual)), expected, more=more)


def defaults():
    """Return the defaults of links and calls."""
    return {
        "settings": asdict(default_options()),
        "arguments": {
            endpoint.name: {
                argument.name: "required" if argument.default is REQUIRED else argument.default
                for argument in endpoint.arguments
            }
            for endpoint in ENDPOINTS
        },
    }


def test_omitted_arguments_keep_their_meaning():
    before, current = saved("defaults.json"), defaults()
    assert current["settings"] == {**current["settings"], **before["settings"]}
    for endpoint, arguments in before["arguments"].items():
        now = current["arguments"][endpoint]
        assert now == {**now, **arguments}
        # Gradio's client may pass arguments by position, so their order must stay.
        assert list(now)[: len(arguments)] == list(arguments)
        assert "required" not in list(now.values())[len(arguments) :]


# Links


def reading(query):
    """Return the server's reading of a link, before it looks up any checkpoint."""
    link = Link.parse(parse_qsl(query, keep_blank_values=True))
    values = {"tab": link.tab, "hide": sorted(link.hide)}
    if link.tab in ("decode", "compare"):
        values["view"] = link.take_view(table=link.tab == "compare")
        values["strategies"] = link.take_strategies(60)
        values["settings"] = link.take_settings(60)
    return {**values, "values": link.values, "problems": list(link.first_faults())}


@pytest.mark.parametrize("query", LINKS)
def test_a_link_is_read_as_before(query):
    """The order of hidden parts does not matter."""
    actual, expected = reading(query), LINKS[query]["reading"]
    expected = {**expected, "hide": sorted(expected["hide"])}
    assert list(actual["values"].items()) == list(expected["values"].items())
    actual = json.loads(json.dumps(actual))
    check_same(actual.pop("problems"), expected.pop("problems"))
    assert actual == expected


@pytest.fixture(scope="module")
def visit(untouched):
    """A function from a link to the server's response: values by widget, and the notice for the script."""
    demo = build_demo(untouched)
    handlers = [fn for fn in demo.fns.values() if fn.fn and isinstance((fn.outputs or [0])[-1], LinkNotice)]
    (load,) = (fn for fn in handlers if fn.targets[0][1] == "load")
    (fill,) = (fn for fn in handlers if fn.targets[0][1] == "fill")

    def response(step, query):
        request = SimpleNamespace(query_params=QueryParams(query))
        *values, notice = handler_of(step)(request, SimpleNamespace(_data=None))
        updates = zip(filled_by(demo, step), values, strict=True)
        del notice["titles"]
        notice["faults"] = [NAMES.sub("there are: ...", fault) for fault in notice["faults"]]
        widgets = dict(filter(None, (plain(widget, value) for widget, value in updates)))
        return {"widgets": widgets, "told": notice}

    def open_link(query):
        page = response(load, query)
        filled = response(fill, query) if page["told"].get("fill") else page
        return filled if filled["told"]["tab"] == "compare" else {**page, "told": filled["told"]}

    return open_link


def plain(widget, value):
    """Return a widget's name and its new value, or None if it is unchanged or not part of a link."""
    name = widget.elem_id or widget.label
    if value == gr.skip() or name is None or isinstance(widget, gr.Button | gr.State):
        return None
    if isinstance(value, DecodingTrace):
        return name, {"trace of": value.source_text}
    if isinstance(value, dict):
        return name, {"value": value["value"]} if "value" in value else {}
    return name, json.loads(json.dumps(asdict(value) if is_dataclass(value) else value))


@pytest.mark.slow
@pytest.mark.parametrize("query", LINKS)
def test_a_link_opens_the_page_as_before(query, visit):
    page = LINKS[query]["page"]
    examples = OTHER_EXAMPLES if "biblioteca" in query else OTHER_EXAMPLES | FIRST_EXAMPLE
    for name, saved_value in page["widgets"].items():  # bounds of sliders are not part of a link
        state = {"value": saved_value["value"]} if is_update(saved_value) else saved_value
        if isinstance(state, dict):
            state = {part: renamed(value, examples) for part, value in state.items()}
        page["widgets"][name] = renamed(state, examples)
    actual = json.loads(json.dumps(visit(query)))
    # Vocabularies, one of which has been trained again.
    check_alike(*(state["widgets"].pop("source-tokens", {}) for state in (actual, page)))
    for notice in (actual["told"], page["told"]):
        if "hide" in notice:
            notice["hide"] = sorted(notice["hide"])
    check_same(actual, page)


def renamed(value, examples):
    """Return the example that has replaced `value`, if any."""
    return examples.get(value, value) if isinstance(value, str) else value


def is_update(value):
    """Whether a value is Gradio's update of a widget."""
    return isinstance(value, dict) and value.keys() <= {"value", "minimum", "maximum"} and "value" in value
