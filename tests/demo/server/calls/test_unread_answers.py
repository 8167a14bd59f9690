"""Answers that nobody fetches must not fill the memory."""

from __future__ import annotations

import time
from pathlib import Path

import httpx
import pytest

from demo.interface import build_demo, launch_settings
from demo.server.calls.open_calls import OpenCalls
from demo.server.calls.unread_answers import MAX_ANSWERS, UnreadAnswers
from demo.server.gradio_queue import answers_of
from demo.service.context import AppContext
from models.registry.registry import Registry
from tests.demo.conftest import LETTERS
from tests.fakes.calls import served
from tests.fakes.gradio_inside import leave_behind

pytestmark = pytest.mark.slow

VALUES = {"checkpoint": LETTERS, "text": "hola", "max_length": 2}


@pytest.mark.parametrize("sessions", ["many", "one"])
def test_few_unread_answers_are_kept_and_can_be_fetched(shipped: Path, sessions: str) -> None:
    demo = build_demo(AppContext(Registry(shipped), "cpu"))
    demo.open_calls = OpenCalls(lambda *_: False)  # otherwise one visitor could not have so many
    index = next(i for i, fn in demo.fns.items() if fn.api_name == "tokenize")
    with served(demo, **launch_settings(uploads=False)) as url, httpx.Client(base_url=url) as http:
        events = []
        for number in range(MAX_ANSWERS + 20):
            body = {"data": [LETTERS, "hola"], "fn_index": index}
            session = "me" if sessions == "one" else f"visitor-{number}"
            answer = http.post("gradio_api/queue/join", json={**body, "session_hash": session})
            events.append(answer.raise_for_status().json()["event_id"])
            while not any(events[-1] in item.calls for item in answers_of(demo)):
                time.sleep(0.005)
        stored = [item for item in answers_of(demo) if item.results]
        assert 0 < len(stored) <= MAX_ANSWERS + 1
        assert sum(len(item.calls) for item in answers_of(demo)) <= MAX_ANSWERS + 1
        # Whoever comes at once gets the answer.
        event = http.post("gradio_api/call/v2/translate", json=VALUES).json()["event_id"]
        assert "event: complete" in http.get(f"gradio_api/call/translate/{event}", timeout=30).text


def test_sessions_without_calls_and_listeners_are_forgotten(shipped: Path) -> None:
    demo = build_demo(AppContext(Registry(shipped), "cpu"))
    with served(demo, **launch_settings(uploads=False)):
        listened = {"heard"}
        unread = UnreadAnswers(demo, listened.__contains__, lambda _: "")
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
