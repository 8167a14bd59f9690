"""The worker of the page without a server answers as the server does."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from demo.errors import sentence
from demo.i18n import in_language
from demo.operator.allowed_settings import allowed
from demo.requests.checks import check_fits
from demo.requests.edit import WhatIf
from demo.requests.options import decoding_options
from demo.static.python_files import PYODIDE
from demo.views.trace.payload import trace_payload
from models.decoding.decode import Intervention, decode_beside_free
from models.decoding.trace import DecodingTrace
from models.errors import UnrolledError
from tests.demo.static.decodings import checkpoint, difference
from tests.demo.static.site import in_worker, write_site

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PYODIDE.exists(), reason="needs the packages of package.json"),
]
# A request for each kind of network, with settings that lead to other captions and figures.
REQUESTS: tuple[dict[str, Any], ...] = (
    {"checkpoint": "reverse-gru", "strategy": "beam"},
    {"checkpoint": "reverse-gru", "strategy": "threshold", "forced": [5]},
    {"checkpoint": "dates-transformer", "strategy": "greedy"},
    {"checkpoint": "dates-transformer", "strategy": "mbr", "num_samples": 4, "seed": 2},
    {"checkpoint": "dates-transformer", "strategy": "exact", "node_budget": 200},
    {"checkpoint": "shapes-captioner", "strategy": "beam", "beam_size": 3},
)
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


def by_library(request: dict[str, Any]) -> Any:
    """The trace of the library for a request. Raises UnrolledError for one that cannot be served."""
    loaded = checkpoint(request["checkpoint"])
    options = {name: value for name, value in request.items() if name in allowed()}
    edit = WhatIf.of({"strategy": request["strategy"], "settings": {}, **request})
    edited = edit.request(loaded.tokenizer)
    check_fits(loaded.name, edited.text, loaded.config.reads_pictures)
    trace = decode_beside_free(
        loaded.model,
        loaded.tokenizer,
        edited.text,
        decoding_options(options, loaded.config.max_length),
        language=loaded.config.target_language,
        intervention=Intervention(edited.forced, edited.overrides),
    )
    return json.loads(replace(trace, checkpoint=loaded.name).to_json())


def test_the_worker_answers_as_the_server(tmp_path: Path) -> None:
    write_site(tmp_path)
    requests = [{"text": checkpoint(x["checkpoint"]).config.examples[0], **x} for x in REQUESTS]
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
