"""The worker of the page without a server answers as the server does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import pytest

from demo.compare.handlers import on_open
from demo.compare.view.payload import strategies_payload
from demo.compare.work.from_request import compare_strategies
from demo.i18n import in_language
from demo.static.python_files import PYODIDE
from demo.trace.payload import trace_payload
from demo.widgets.view.payload import json_text
from demo.work.context import AppContext
from demo.work.errors import form_sentence
from demo.work.requests.compare import comparison_request
from models.decoding.trace import DecodingTrace
from models.errors import UnrolledError
from models.registry.registry import Registry
from tests.demo.static.decodings import CHECKPOINTS, difference
from tests.demo.static.requests import REQUESTS, by_library, with_text
from tests.demo.static.site import Worker, started_worker, write_site

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PYODIDE.exists(), reason="needs the packages of package.json"),
]
REFUSED: tuple[dict[str, Any], ...] = (
    {"checkpoint": "reverse-gru", "text": "  "},
    {"checkpoint": "reverse-gru", "text": "ab", "beam_size": 1000},
    {"checkpoint": "reverse-gru", "text": "ab", "typed": "犬"},
    {"checkpoint": "reverse-gru", "text": "ab", "must_contain": "犬, 猫"},
    {"checkpoint": "reverse-gru", "text": "ab", "must_contain": "a", "banned": "a"},
    {"checkpoint": "reverse-gru", "text": "ab", "strategy": "greedy", "must_contain": "a"},
    {"checkpoint": "reverse-gru", "text": "ab", "max_length": 2, "must_contain": "a, b, c"},
    {"checkpoint": "reverse-gru", "text": "ab", "forced": [5, 6, 7], "max_length": 2},
    {"checkpoint": "reverse-gru", "text": "ab", "forced": [3, 5]},
    {"checkpoint": "reverse-gru", "text": "ab", "forced": [100000]},
    {"checkpoint": "reverse-gru", "text": "abc " * 200},
    {"checkpoint": "reverse-gru", "text": "ab", "overrides": [{"step": 0, "weights": [1.0]}]},
    {"checkpoint": "shapes-captioner", "text": "a red circle"},
)

# Greedy search misses what beam search finds, and the model prefers both to the reference.
COMPARED: dict[str, Any] = {
    "checkpoint": "reverse-rnn",
    "text": "unrolled beam",
    "reference": "maeb dellornu",
    "strategies": [{"strategy": "greedy"}, {"strategy": "beam"}],
}
CONTEXT = AppContext(Registry(CHECKPOINTS))


@pytest.fixture(scope="module")
def worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worker]:
    """The worker, which starts Python once and forgets its checkpoint between the calls of two tests."""
    folder = tmp_path_factory.mktemp("worker")
    write_site(folder)
    with started_worker(folder) as worker:
        yield worker


def by_server(request: dict[str, Any]) -> dict[str, Any]:
    """The server's comparison as JSON. Raises UnrolledError for one that cannot be served."""
    longest = CONTEXT.config(request["checkpoint"]).max_length
    checked = comparison_request(*(request[name] for name in COMPARED), longest)
    *_, compared = compare_strategies(CONTEXT, checked)
    payload: dict[str, Any] = json.loads(json_text(strategies_payload(compared, CONTEXT.label)))
    return payload


def without_time(payload: dict[str, Any]) -> dict[str, Any]:
    """A comparison without what differs between any two runs."""
    rows = [{name: value for name, value in row.items() if name != "ms"} for row in payload["rows"]]
    return {**payload, "rows": rows, "run": "", "date": ""}


def test_the_worker_answers_as_the_server(worker: Worker) -> None:
    requests = [with_text(request) for request in REQUESTS]
    calls = [{"call": "decode", "values": {"request": request}} for request in requests]
    for request, answer in zip(requests, worker(calls, "es"), strict=True):
        with in_language("es"):
            content = json.loads(trace_payload(DecodingTrace.from_json(answer["trace"])))
        assert answer["answer"]["trace"] == content
        assert difference(by_library(request), json.loads(answer["trace"])) == ""


def test_the_worker_refuses_with_the_sentences_of_the_server(worker: Worker) -> None:
    requests = [{"strategy": "beam", **request} for request in REFUSED]
    calls = [{"call": "decode", "values": {"request": request}} for request in requests]
    for request, answer in zip(requests, worker(calls, "zh"), strict=True):
        with in_language("zh"), pytest.raises(UnrolledError) as refusal:
            by_library(request)
        with in_language("zh"):
            assert answer["error"] == form_sentence(refusal.value)


def test_the_worker_compares_with_a_reference_as_the_server(worker: Worker) -> None:
    expected = by_server(COMPARED)
    request = {"request": COMPARED, "run": "1"}
    texts = {"checkpoint": COMPARED["checkpoint"], "text": COMPARED["text"]}
    (begun,) = worker([{"call": "comparisonRows", "values": request}])
    settings, rescored = begun["answer"]["settings"], begun["answer"]["rescored"]
    rows = ({**texts, "settings": one, "seconds": 60, "run": ""} for one in settings)
    outcomes = worker([{"call": "comparisonRow", "values": row} for row in rows])
    states = [{"state": "done", "outcome": outcome["answer"]} for outcome in outcomes]
    (answer,) = worker(
        [
            {
                "call": "comparisonData",
                "values": {**request, "rows": states, "reference": rescored, "finished": True},
            }
        ]
    )
    assert difference(without_time(expected), without_time(answer["answer"])) == ""


def test_an_opened_row_shows_the_output_that_its_search_missed(worker: Worker) -> None:
    missed = next(row["request"] for row in by_server(COMPARED)["rows"] if row["request"]["better"])
    trace = on_open(CONTEXT, missed)
    request = {**missed["settings"], **{name: missed[name] for name in ("checkpoint", "text", "better")}}
    (answer,) = worker([{"call": "decode", "values": {"request": request}}])
    content = json.loads(trace_payload(trace))
    assert difference(content["figures"], answer["answer"]["trace"]["figures"]) == ""
    assert answer["answer"]["trace"]["captions"] == content["captions"]


@pytest.mark.parametrize(
    ("name", "reference"),
    [
        ("dates-transformer", "2024-02-30"),
        ("shapes-captioner", "a red circle and 犬"),
        ("katakana-gru", "マルティナx"),
        ("spa-eng-lstm", "Where is the library?"),
    ],
)
def test_a_reference_is_scored_as_by_the_library(worker: Worker, name: str, reference: str) -> None:
    text = with_text({"checkpoint": name})["text"]
    request = {
        "checkpoint": name,
        "text": text,
        "reference": reference,
        "strategies": [{"strategy": "greedy"}],
    }
    (answer,) = worker([{"call": "comparisonRows", "values": {"request": request, "run": "1"}}])
    expected = json.loads(json.dumps(asdict(CONTEXT.score(name, text, reference))))
    scored = answer["answer"]["rescored"]
    assert difference([expected["tokens"], expected["unknown"]], [scored["tokens"], scored["unknown"]]) == ""
    assert scored["text"] == expected["text"]


@pytest.mark.parametrize("reference", ["maria " * 300, "\u200b"])
def test_a_reference_that_cannot_be_scored_is_refused_as_by_the_server(
    worker: Worker, reference: str
) -> None:
    request = {**COMPARED, "reference": reference, "strategies": [{"strategy": "greedy"}]}
    (answer,) = worker([{"call": "comparisonRows", "values": {"request": request, "run": "1"}}])
    with pytest.raises(UnrolledError) as refusal:
        by_server(request)
    assert answer["error"] == form_sentence(refusal.value)


def test_a_cancelled_search_reports_that_there_is_no_output(worker: Worker) -> None:
    request = with_text({"checkpoint": "reverse-gru", "strategy": "beam"})
    call = {"call": "decode", "values": {"request": request}}
    stopped, after = worker([{**call, "cancel": True}, call])
    assert stopped["error"] == "Stopped before any output was finished; the result below is the previous one."
    assert difference(by_library(request), json.loads(after["trace"])) == ""
