"""Answers that nobody fetches must not fill the memory."""

from __future__ import annotations

import time
from pathlib import Path

import httpx
import pytest

from demo.context import AppContext
from demo.interface import build_demo, launch_settings
from demo.unfetched import MOST
from models.registry.registry import Registry
from tests.demo.calls import served
from tests.demo.conftest import LETTERS

VALUES = {"checkpoint": LETTERS, "text": "hola", "max_length": 2}


@pytest.mark.parametrize("sessions", ["many", "one"])
def test_only_so_many_are_kept_and_whoever_fetches_gets_theirs(shipped: Path, sessions: str) -> None:
    demo = build_demo(AppContext(Registry(shipped), "cpu"))
    index = next(i for i, fn in demo.fns.items() if fn.api_name == "tokenize")
    with served(demo, **launch_settings(uploads=False)) as url, httpx.Client(base_url=url) as http:
        queue, events = demo._queue, []
        for number in range(MOST + 20):
            body = {"data": [LETTERS, "hola"], "fn_index": index}
            session = "me" if sessions == "one" else f"visitor-{number}"
            answer = http.post("gradio_api/queue/join", json={**body, "session_hash": session})
            events.append(answer.raise_for_status().json()["event_id"])
            while events[-1] in queue.event_ids_to_events:
                time.sleep(0.005)
        kept = sum(messages.qsize() > 0 for messages in queue.pending_messages_per_session.values())
        assert kept <= MOST + 1
        assert sum(map(len, queue.pending_event_ids_session.values())) <= MOST + 1
        # Whoever comes at once gets the answer.
        event = http.post("gradio_api/call/v2/translate", json=VALUES).json()["event_id"]
        assert "event: complete" in http.get(f"gradio_api/call/translate/{event}", timeout=30).text


def test_of_who_has_left_nothing_is_kept(shipped: Path) -> None:
    demo = build_demo(AppContext(Registry(shipped), "cpu"))
    with served(demo, **launch_settings(uploads=False)) as url, httpx.Client(base_url=url) as http:
        queue = demo._queue
        for number in range(5):
            queue.pending_event_ids_session[f"left-{number}"] = {"an event that is over"}
        event = http.post("gradio_api/call/v2/translate", json=VALUES).json()["event_id"]
        assert "event: complete" in http.get(f"gradio_api/call/translate/{event}", timeout=30).text
        assert not [name for name in queue.pending_event_ids_session if name.startswith("left-")]
