"""A trace from a visitor's file: drawn like the page's own, or refused in a sentence."""

from __future__ import annotations

import base64
import gzip
import json

import pytest

from demo.decode.earlier_results import trace_file
from demo.decode.earlier_results.trace_file import MAX_TRACE_BYTES, read_trace_file
from demo.trace.payload import trace_payload
from demo.work.errors import UNEXPECTED_ERROR
from tests.fakes.traces import hostile_trace, library_trace


def encoded(text: str | bytes) -> str:
    data = text if isinstance(text, bytes) else text.encode()
    return base64.b64encode(gzip.compress(data, mtime=0)).decode()


@pytest.mark.parametrize("start", ["", "\ufeff"], ids=["plain", "byte order mark"])
def test_a_trace_file_is_drawn_like_a_new_decoding(start: str) -> None:
    trace = hostile_trace()
    assert read_trace_file(encoded(start + trace.to_json())) == {"payload": trace_payload(trace)}


def test_a_trace_of_an_absent_checkpoint_is_shown() -> None:
    data = json.loads(library_trace().to_json()) | {"checkpoint": "<b>elsewhere</b>"}
    assert "payload" in read_trace_file(encoded(json.dumps(data)))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "it is not text"),
        (7, "it is not text"),
        ("no base64!", "it is not text"),
        (base64.b64encode(b"no gzip").decode(), "it is not text"),
        (encoded(b"\xff\xfe\x00"), "it is not text"),
        (encoded("hello"), "it is not JSON (line 1, column 1)"),
        (
            encoded('{"seed": ' + "1" * 5_000 + "}"),
            "damaged (something in it is missing, too long, or of the wrong type)",
        ),
        (encoded("[" * 100_000), "damaged (lists and objects nested too deep)"),
        (encoded(json.dumps(library_trace().to_dict() | {"source_text": "\ud800"})), "(it is not UTF-8)"),
        (
            encoded(json.dumps(library_trace().to_dict() | {"steps": 7})),
            "damaged (something in it is missing",
        ),
        (encoded("{}"), "schema version"),
        (encoded('{"schema_version": 2}'), "incomplete or damaged ('checkpoint' is missing)"),
        (encoded(b" " * (MAX_TRACE_BYTES + 1)), "larger than 8.4 MB"),
    ],
)
def test_an_invalid_trace_file_is_refused(content: object, sentence: str) -> None:
    answer = read_trace_file(content)
    assert answer.keys() == {"problem"}
    assert sentence in answer["problem"]


def test_an_unexpected_error_is_logged_and_reported_without_details(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_: object) -> str:
        raise RuntimeError("a secret path")

    monkeypatch.setattr(trace_file, "trace_payload", fail)
    assert read_trace_file(encoded(library_trace().to_json())) == {"problem": str(UNEXPECTED_ERROR)}
    assert "drawing a trace file failed: RuntimeError" in caplog.text
