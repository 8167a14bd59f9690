"""Traces, links and calls that people saved with an earlier version work; see `__init__.py`."""

import json
import re
from dataclasses import asdict, is_dataclass
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import parse_qsl

import gradio as gr
import pytest
from starlette.datastructures import QueryParams

from demo.api.arguments import REQUIRED
from demo.api.endpoints import ENDPOINTS
from demo.errors import guarded
from demo.interface import build_demo
from demo.links import Link
from demo.requests.decode import DecodeRequest
from demo.requests.options import asked_options, default_options
from demo.views.link_notice.component import LinkNotice
from demo.views.trace.payload import trace_payload
from models.decoding.status import Status
from models.decoding.strategies import names
from models.decoding.trace import SCHEMA_VERSION, AttentionOverride, DecodingTrace
from tests.compatibility.sameness import check_alike, check_same, without_new

HERE = Path(__file__).parent
TRAINED_ANEW = {"spa-eng-gru"}  # what these say is another thing since, and how they say it is not
# Examples that no longer teach what they did since then, and those in their place: no link names them.
SPANISH = "Ayer encontré una {} antigua en el pueblo.", "Hay una {} antigua en el pueblo de mi madre."
ENGLISH = "Yesterday I found an old {} in the village.", "There is an old {} in my mother's village."
OTHER_EXAMPLES = {
    before.format(place): now.format(place)
    for (before, now), place in ((SPANISH, "biblioteca"), (SPANISH, "estación"), (ENGLISH, "library"))
}
# The page opens with another example since: one on which greedy and beam search differ.
FIRST_EXAMPLE = {"¿Dónde está la biblioteca?": "Ganó el premio."}
# What a caption says clearer since: beside it stands the step of the greatest entropy.
OTHER_WORDS = ("Least certain token", "Least probable token")
NAMES = re.compile(r"there are: dates-transformer.*")  # of checkpoints, which there may be more of


def text_of(name):
    return (HERE / name).read_text(encoding="utf-8")


def saved(name):
    return json.loads(text_of(name))


REQUESTS, LINKS, CALLS = saved("requests.json"), saved("links.json"), saved("api.json")
TRACES = sorted(path.stem for path in (HERE / "traces").iterdir())
PAYLOADS = sorted(path.stem for path in (HERE / "payload").iterdir())


# Traces, as the page's download writes them


@pytest.mark.parametrize("name", [name for name in TRACES if name != "version_1"])
def test_a_trace_is_read_and_written_as_it_was(name):
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
    """Strategies that were added later are tested too, although nothing is on record for them."""
    before = next(call["answer"] for call in CALLS if "trace" in call.get("answer", ()))
    asked = {"checkpoint": "reverse-gru", "text": "ab", "strategy": strategy, "max_length": 3, "trace": True}
    answer = called(untouched, "translate", asked)["answer"]
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
    assert [found.text for found in trace.hypotheses] == ["cba", "cb"]
    assert [node.token for node in trace.path(trace.hypotheses[0].node)] == ["c", "b", "a", "</s>"]
    after = json.loads(trace.to_json())
    assert after.pop("schema_version") == SCHEMA_VERSION > before.pop("schema_version")
    check_same(after, before, more=True)
    assert json.loads(trace_payload(trace))["trace"]["source_text"] == "abc"


@pytest.mark.parametrize("name", REQUESTS)
def test_the_same_request_is_decoded_as_before(name, untouched):
    asked, before = REQUESTS[name], saved(f"traces/{name}.json")
    overrides = tuple(
        AttentionOverride(**{**each, "weights": tuple(each["weights"])}) for each in asked["overrides"]
    )
    settings = asked_options(asked["settings"])
    request = DecodeRequest(asked["checkpoint"], asked["text"], settings, tuple(asked["forced"]), overrides)
    trace = untouched.decode(request)
    after = json.loads(trace.to_json())
    assert after.pop("schema_version") >= before.pop("schema_version")
    if name == "exhaustive":  # it looked at outputs with padding too, which may not be written any more
        check_same(outputs(trace), outputs(DecodingTrace.from_json(text_of(f"traces/{name}.json"))))
    else:
        check = check_alike if asked["checkpoint"] in TRAINED_ANEW else check_same
        check(after, before, more=True)


def outputs(trace):
    """What every path without padding came to, and which were the best."""
    paths = {
        " ".join(step.token for step in trace.path(at)): [
            node.cumulative,
            node.status.value,
            node.reason.value,
        ]
        for at, node in trace.nodes.items()
    }
    best = [[found.text, found.log_prob, found.score, found.ended] for found in trace.hypotheses]
    return {"paths": {path: told for path, told in paths.items() if "<pad>" not in path}, "best": best}


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
    before = text_of(f"payload/{name}.json").replace(*OTHER_WORDS)
    check_same(json.loads(trace_payload(trace)), json.loads(before), more=True)


# Programs that call the page


def called(context, name, arguments):
    """What an endpoint answers to arguments by name, or the sentence that it refuses them with."""
    endpoint = next(endpoint for endpoint in ENDPOINTS if endpoint.name == name)
    assert arguments.keys() <= {argument.name for argument in endpoint.arguments}
    values = [arguments.get(argument.name, argument.default) for argument in endpoint.arguments]
    try:
        return {"answer": guarded(endpoint.handler, context)(*values)}
    except gr.Error as error:
        return {"error": error.message}


@pytest.mark.parametrize("at", range(len(CALLS)))
def test_a_call_is_answered_as_before(at, untouched):
    call = CALLS[at]
    found = called(untouched, call["endpoint"], call["arguments"])
    if call["endpoint"] == "checkpoints":  # there may be more of them
        names = {entry["name"] for entry in call["answer"]}
        found["answer"] = [entry for entry in found["answer"] if entry["name"] in names]
        for entry, before in zip(found["answer"], call["answer"], strict=True):  # and more examples of each
            entry["examples"] = [text for text in entry["examples"] if text in before["examples"]]
    search = call.get("answer", {}).get("search", {}) if isinstance(call.get("answer"), dict) else {}
    if search and call["answer"]["strategy"] in ("exact", "exhaustive"):  # padding is not looked at any more
        assert found["answer"]["search"]["expanded"] <= search["expanded"]
        for name in ("expanded", "recorded", "seen"):
            search.pop(name), found["answer"]["search"].pop(name)
    expected = {name: call[name] for name in ("answer", "error") if name in call}
    # There may be more methods of attribution; times and versions of metrics are not on record.
    more = call["endpoint"] in ("attribute", "evaluate")
    check = check_alike if call["arguments"].get("checkpoint") in TRAINED_ANEW else check_same
    check(json.loads(json.dumps(found)), expected, more=more)


def defaults():
    """What a link or a call means by what it leaves out."""
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


def test_what_is_left_out_means_what_it_meant():
    before, found = saved("defaults.json"), defaults()
    assert found["settings"] == {**found["settings"], **before["settings"]}
    for endpoint, arguments in before["arguments"].items():
        now = found["arguments"][endpoint]
        assert now == {**now, **arguments}
        # Who calls by position, as Gradio's client may, must find each argument where it was.
        assert list(now)[: len(arguments)] == list(arguments)
        assert "required" not in list(now.values())[len(arguments) :]


# Links


def reading(query):
    """A link as the server understands it, before it knows any checkpoint."""
    link = Link.of(parse_qsl(query, keep_blank_values=True))
    found = {"tab": link.tab, "hide": sorted(link.hide)}
    if link.tab in ("decode", "compare"):
        found["view"] = link.view(table=link.tab == "compare")
        found["strategies"] = link.strategies(60)
        found["settings"] = link.settings(60)
    return {**found, "values": link.values, "problems": list(link.first_faults())}


@pytest.mark.parametrize("query", LINKS)
def test_a_link_is_read_as_before(query):
    """Parts that are left out are a set."""
    found, expected = reading(query), LINKS[query]["reading"]
    expected = {**expected, "hide": sorted(expected["hide"])}
    assert list(found["values"].items()) == list(expected["values"].items())
    found = json.loads(json.dumps(found))
    check_same(found.pop("problems"), expected.pop("problems"))
    assert found == expected


@pytest.fixture(scope="module")
def visit(untouched):
    """`visit(query)` is what the page is sent for a link: values by widget, and what its script is told."""
    demo = build_demo(untouched)
    steps = [
        fn for fn in demo.fns.values() if fn.fn and fn.outputs and isinstance(fn.outputs[-1], LinkNotice)
    ]
    (load,) = (fn for fn in steps if fn.targets[0][1] == "load")
    (fill,) = (fn for fn in steps if fn.targets[0][1] == "fill")

    def asked(step, query):
        *values, told = step.fn(SimpleNamespace(query_params=QueryParams(query)), SimpleNamespace(_data=None))
        shown = zip(step.outputs[:-1], values, strict=True)
        del told["names"]
        told["faults"] = [NAMES.sub("there are: ...", fault) for fault in told["faults"]]
        return {
            "widgets": dict(filter(None, (plain(widget, value) for widget, value in shown))),
            "told": told,
        }

    def opened(query):
        page = asked(load, query)
        return asked(fill, query) if page["told"].get("fill") and page["told"]["tab"] == "compare" else page

    return opened


def plain(widget, value):
    """A widget's name and what it is given; None where it is left as it is, or is told to the page alone."""
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
    for name, given in page["widgets"].items():  # how far a slider reaches is no part of what a link says
        shown = {"value": given["value"]} if is_update(given) else given
        if isinstance(shown, dict):
            shown = {part: renamed(value, examples) for part, value in shown.items()}
        page["widgets"][name] = renamed(shown, examples)
    found = json.loads(json.dumps(visit(query)))
    # Of vocabularies, one of which was made anew.
    check_alike(*(shown["widgets"].pop("source-tokens", {}) for shown in (found, page)))
    for told in (found["told"], page["told"]):
        if "hide" in told:
            told["hide"] = sorted(told["hide"])
    check_same(found, page)


def renamed(value, examples):
    """The example that stands now where `value` stood."""
    return examples.get(value, value) if isinstance(value, str) else value


def is_update(given):
    """Whether it is what Gradio calls an update of a widget."""
    return isinstance(given, dict) and given.keys() <= {"value", "minimum", "maximum"} and "value" in given
