"""Answers that nobody fetches must not fill the memory."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path

import pytest

from demo.page.interface import build_demo, launch_settings
from demo.server.calls import listeners
from demo.server.calls.listeners import MAX_ANSWERS, STALL_SECONDS, UnreadAnswers
from demo.server.calls.open_calls import OpenCalls
from demo.server.gradio_queue import answers_of, knows_session
from demo.work.context import AppContext
from models.registry.registry import Registry
from tests.demo.conftest import LETTERS
from tests.fakes.calls import http_client, served
from tests.fakes.gradio_inside import leave_behind
from tests.waiting import wait

pytestmark = pytest.mark.slow

VALUES = {"checkpoint": LETTERS, "text": "hola", "max_length": 2}


@pytest.mark.parametrize("sessions", ["many", "one"])
def test_few_unread_answers_are_kept_and_can_be_fetched(
    shipped: Path, monkeypatch: pytest.MonkeyPatch, sessions: str
) -> None:
    monkeypatch.setattr(listeners, "GRACE_SECONDS", math.inf)
    monkeypatch.setattr(listeners, "EVERY_SECONDS", 1e9)
    demo = build_demo(AppContext(Registry(shipped), "cpu"))
    demo.open_calls = OpenCalls(lambda *_: False)  # otherwise one visitor could not have so many
    index = next(i for i, fn in demo.fns.items() if fn.api_name == "tokenize")
    with served(demo, **launch_settings(uploads=False)) as url, http_client(url) as http:
        events = []
        for number in range(MAX_ANSWERS + 20):
            body = {"data": [LETTERS, "hola"], "fn_index": index}
            session = "me" if sessions == "one" else f"visitor-{number}"
            answer = http.post("gradio_api/queue/join", json={**body, "session_hash": session})
            events.append(answer.raise_for_status().json()["event_id"])
            wait(lambda: any(events[-1] in item.calls for item in answers_of(demo)))
        stored = [item for item in answers_of(demo) if item.results]
        assert 0 < len(stored) <= MAX_ANSWERS + 1
        assert sum(len(item.calls) for item in answers_of(demo)) <= MAX_ANSWERS + 1
        # Whoever comes at once gets the answer.
        event = http.post("gradio_api/call/v2/translate", json=VALUES).json()["event_id"]
        assert "event: complete" in http.get(f"gradio_api/call/translate/{event}").text


def test_sessions_without_calls_and_listeners_are_forgotten(shipped: Path) -> None:
    demo = build_demo(AppContext(Registry(shipped), "cpu"))
    with served(demo, **launch_settings(uploads=False)):
        listened = {"heard"}
        unread = UnreadAnswers(demo, lambda session: 0.0 if session in listened else math.inf, lambda _: "")
        for session in ("left", "heard"):
            leave_behind(demo, session)
        assert unread.sweep()
        assert unread.sweep()
        assert [item.session for item in answers_of(demo)] == ["heard"]
        listened.clear()
        unread.sweep()
        leave_behind(demo, "heard", "another that is over")  # since the last sweep
        assert unread.sweep()
        assert unread.sweep()
        assert answers_of(demo) == []
        assert not unread.sweep()


def test_a_session_is_kept_for_a_while_after_its_last_stream(
    shipped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listeners, "EVERY_SECONDS", 1e9)
    demo = build_demo(AppContext(Registry(shipped), "cpu"))
    index = next(i for i, fn in demo.fns.items() if fn.api_name == "tokenize")
    body = {"data": [LETTERS, "hola"], "fn_index": index, "session_hash": "me"}
    with served(demo, **launch_settings(uploads=False)) as url, http_client(url) as http:
        http.post("gradio_api/queue/join", json=body).raise_for_status()
        stream = http.get("gradio_api/queue/data", params={"session_hash": "me"})
        assert "process_completed" in stream.text
        wait(lambda: demo.listeners.silence("me") > 0)
        unread = demo._unread
        unread.sweep()
        unread.sweep()
        assert knows_session(demo, "me")  # the page may ask for another stream
        monkeypatch.setattr(listeners, "EVERY_SECONDS", 0.0)
        unread.sweep()
        assert not knows_session(demo, "me")


def test_no_answer_is_dropped_directly_after_a_stall(shipped: Path) -> None:
    demo = build_demo(AppContext(Registry(shipped), "cpu"))

    async def sweep(*delays: float) -> list[bool]:
        unread = UnreadAnswers(demo, lambda _: math.inf, lambda _: "")
        result = []
        for delay in delays:
            unread._tick(delay)
            result.append(bool(answers_of(demo)))
        return result

    with served(demo, **launch_settings(uploads=False)):
        leave_behind(demo, "left")
        assert asyncio.run(sweep(0.0, STALL_SECONDS + 0.1, 0.0)) == [True, True, False]
