"""The worker of the page without a server answers as the server does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from demo.errors import sentence
from demo.i18n import in_language
from demo.static.python_files import PYODIDE
from demo.views.trace.payload import trace_payload
from models.decoding.trace import DecodingTrace
from models.errors import UnrolledError
from tests.demo.static.decodings import difference
from tests.demo.static.requests import REQUESTS, by_library, with_text
from tests.demo.static.site import in_worker, write_site

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


def test_the_worker_answers_as_the_server(tmp_path: Path) -> None:
    write_site(tmp_path)
    requests = [with_text(request) for request in REQUESTS]
    calls = [{"call": "decode", "values": {"request": request}} for request in requests]
    for request, answer in zip(requests, in_worker(tmp_path, calls, "es"), strict=True):
        with in_language("es"):
            content = json.loads(trace_payload(DecodingTrace.from_json(answer["trace"])))
        assert answer["answer"]["trace"] == content
        assert difference(by_library(request), json.loads(answer["trace"])) == ""


def test_the_worker_refuses_with_the_sentences_of_the_server(tmp_path: Path) -> None:
    write_site(tmp_path)
    requests = [{"strategy": "beam", **request} for request in REFUSED]
    calls = [{"call": "decode", "values": {"request": request}} for request in requests]
    for request, answer in zip(requests, in_worker(tmp_path, calls, "zh"), strict=True):
        with in_language("zh"), pytest.raises(UnrolledError) as refusal:
            by_library(request)
        with in_language("zh"):
            assert answer["error"] == sentence(refusal.value)


def test_a_cancelled_search_reports_that_there_is_no_output(tmp_path: Path) -> None:
    write_site(tmp_path)
    request = with_text({"checkpoint": "reverse-gru", "strategy": "beam"})
    call = {"call": "decode", "values": {"request": request}}
    stopped, after = in_worker(tmp_path, [{**call, "cancel": True}, call])
    assert stopped["error"] == "Stopped before any output was finished; the result below is the previous one."
    assert difference(by_library(request), json.loads(after["trace"])) == ""
