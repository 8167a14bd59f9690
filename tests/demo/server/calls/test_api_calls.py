"""Calls that Gradio alone would answer with a traceback or not at all."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.datastructures import Headers

from demo.page.interface import build_demo, launch_settings
from demo.server.calls import api_calls, listeners
from demo.server.calls.api_calls import LARGE_BODY_BYTES, NOTHING_TO_FETCH, CheckedCalls
from demo.server.calls.call_bodies import UnfitBodyError, read_body
from demo.work.context import AppContext
from models.registry.registry import Registry
from tests.demo.conftest import LETTERS
from tests.fakes.calls import http_client, served

pytestmark = pytest.mark.slow


def test_other_requests_are_served_between_two_large_bodies(monkeypatch: pytest.MonkeyPatch) -> None:
    turns: list[int] = []  # the number of turns of the event loop when each body is read
    passed = 0

    def read_body(*_: object) -> dict[str, object]:
        turns.append(passed)
        raise UnfitBodyError("no")

    async def post(app: CheckedCalls) -> None:
        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": b" " * (LARGE_BODY_BYTES + 1), "more_body": False}

        async def send(_: object) -> None:
            pass

        path = "/gradio_api/call/v2/tokenize"
        await app({"type": "http", "method": "POST", "path": path, "headers": []}, receive, send)

    async def all_at_once() -> None:
        nonlocal passed
        app = CheckedCalls(lambda *_: pytest.fail("it was let in"), {"tokenize": ()})
        posts = [asyncio.ensure_future(post(app)) for _ in range(4)]
        while not all(post.done() for post in posts):
            passed += 1
            await asyncio.sleep(0)

    monkeypatch.setattr(api_calls, "read_body", read_body)
    asyncio.run(all_at_once())
    assert len(turns) == len(set(turns)) == 4


@pytest.fixture(scope="module")
def page(shipped: Path) -> Iterator[tuple[httpx.Client, Any]]:
    """A client of a served page that waits for late callers without a limit, and the page."""
    demo = build_demo(AppContext(Registry(shipped), "cpu"))
    with (
        pytest.MonkeyPatch.context() as patch,
        served(demo, **launch_settings(uploads=True)) as url,
        http_client(f"{url}gradio_api/") as http,
    ):
        patch.setattr(listeners, "GRACE_SECONDS", math.inf)
        yield http, demo


@pytest.mark.parametrize("session", [{}, {"session_hash": "mine"}], ids=["alone", "in a session"])
@pytest.mark.parametrize("version", ["", "v2/"])
def test_an_answer_is_fetched_once_and_a_second_try_ends_at_once(
    page: tuple[httpx.Client, Any], version: str, session: dict[str, str]
) -> None:
    http, _ = page
    event = http.post("call/tokenize", json={"data": [LETTERS, "hola"], **session}).json()["event_id"]
    address = f"call/{version}tokenize/{event}"
    assert "event: complete" in http.get(address).text
    for _ in range(2):
        again = http.get(address)
        assert (again.status_code, again.headers["content-type"].split(";")[0]) == (404, "text/event-stream")
        assert again.text == f"event: error\ndata: {json.dumps(NOTHING_TO_FETCH)}\n\n"


def test_one_of_two_callers_gets_the_answer_and_the_other_an_error(page: tuple[httpx.Client, Any]) -> None:
    http, _ = page
    slow = {"checkpoint": LETTERS, "text": "hola", "strategy": "exact"}
    event = http.post("call/v2/translate", json=slow).json()["event_id"]
    with http.stream("GET", f"call/translate/{event}") as first:
        second = http.get(f"call/translate/{event}")
        assert second.status_code in {404, 409}  # the answer may be on its way already
        assert "event: complete" in first.read().decode()


def test_unknown_calls_have_no_answer_and_foreign_ones_leave_no_traceback(
    page: tuple[httpx.Client, Any], capfd: pytest.CaptureFixture[str]
) -> None:
    http, demo = page
    index = next(number for number, function in demo.fns.items() if function.fn and not function.inputs)
    body = {"data": [], "fn_index": index, "session_hash": "a-page"}
    foreign = http.post("queue/join", json=body).json()["event_id"]
    for event in ("0" * 32, "x", "..", "a-page"):
        assert http.get(f"call/translate/{event}").status_code == 404
    assert http.get(f"call/translate/{foreign}").status_code in {200, 404}  # over already, or refused
    assert "Traceback" not in "".join(capfd.readouterr())


def test_an_event_that_names_a_file_is_refused_without_access_to_the_file(
    page: tuple[httpx.Client, Any], capfd: pytest.CaptureFixture[str]
) -> None:
    http, demo = page
    index = next(number for number, function in demo.fns.items() if function.fn and not function.inputs)
    file = {"path": "/etc/passwd", "meta": {"_type": "gradio.FileData"}}
    for event in (file, {"value": [file]}):
        body = {"data": [], "fn_index": index, "session_hash": "a-page", "event_data": event}
        answer = http.post("run/predict", json=body)
        assert (answer.status_code, answer.json()["detail"]) == (
            422,
            "Events of this page cannot send a file.",
        )
    assert "Traceback" not in "".join(capfd.readouterr())


@pytest.mark.parametrize("path", ["cancel", "reset", "queue/join", "call/tokenize", "call/v2/tokenize"])
@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ('{"fn_index": NaN, "event_id": "e", "session_hash": "s", "data": []}', "NaN is not a JSON number"),
        ('{"event_id": -Infinity}', "-Infinity is not a JSON number"),
        ('{"data": [1e999]}', "too large"),
        ('{"data": [18446744073709551616]}', "too large"),
        ('{"data": [-9223372036854775809]}', "too large"),
        ('{"data": ["\\uD800"]}', "unpaired surrogate"),
        ('{"data": %s}' % ("[" * 200 + "]" * 200), "more than 100 levels deep"),
        ("[1]", "must be a JSON object"),
        ('{"data": [', "must be a JSON object"),
        ("[" * 4_000, "more than 100 levels deep"),
    ],
)
def test_an_invalid_call_is_refused_in_a_sentence(
    page: tuple[httpx.Client, Any], path: str, body: str, sentence: str
) -> None:
    answer = page[0].post(path, content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 422
    assert sentence in answer.json()["detail"]


def test_brackets_in_texts_are_no_levels() -> None:
    text = '\\"[{' * 200
    body = read_body(Headers({"content-type": "application/json"}), f'{{"data": ["{text}"]}}'.encode())
    assert body == {"data": ['"[{' * 200]}


def test_a_call_needs_the_content_type_of_json(page: tuple[httpx.Client, Any]) -> None:
    answer = page[0].post("call/tokenize", content='{"data": []}', headers={"content-type": "text/plain"})
    assert (answer.status_code, "Content-Type: application/json" in answer.json()["detail"]) == (422, True)


def test_functions_of_the_browser_cannot_be_called(page: tuple[httpx.Client, Any]) -> None:
    http, demo = page
    alone = [number for number, function in demo.fns.items() if function.fn is None]
    assert alone
    for path in ("queue/join", "cancel"):
        body = {"fn_index": alone[0], "data": [], "session_hash": "s", "event_id": "e"}
        answer = http.post(path, json=body)
        assert (answer.status_code, "fn_index must be a number" in answer.json()["detail"]) == (422, True)


def test_a_form_without_files_is_refused(page: tuple[httpx.Client, Any]) -> None:
    answer = page[0].post("upload", files={"files": (None, b"no file")})
    assert (answer.status_code, answer.json()["detail"]) == (
        400,
        "The form must have a file in the field files.",
    )


@pytest.mark.parametrize("boundary", ["x" * 300, "x" * 5000, ""], ids=len)
def test_a_form_that_cannot_be_taken_apart_is_refused(
    page: tuple[httpx.Client, Any], capfd: pytest.CaptureFixture[str], boundary: str
) -> None:
    kind = {"content-type": f"multipart/form-data; boundary={boundary}"}
    assert page[0].post("upload", content=b"--x\r\nfile", headers=kind).status_code == 400
    assert "Traceback" not in "".join(capfd.readouterr())
