"""One greedy program delays nobody else."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from demo.interface import build_demo, launch_settings
from demo.requests.full import FULL
from demo.service import context as service
from demo.service.context import AppContext
from demo.service.decoding.turns import Turns
from demo.service.decoding.watch import Watch
from models.registry.registry import Registry
from tests.demo.conftest import LETTERS
from tests.fakes.calls import begin, served
from tests.fakes.gradio_inside import fill_queue

pytestmark = pytest.mark.slow

EASY = {"checkpoint": LETTERS, "text": "hola", "strategy": "greedy", "max_length": 5}
ENDLESS = {**EASY, "strategy": "exact", "max_length": 40, "min_length": 30, "node_budget": 100_000}
FLOOD = 50


@dataclass(eq=False)
class Unhurried(Watch):
    """Without a deadline; the test ends it."""

    seconds: float = math.inf

    def __post_init__(self) -> None:
        ALL.append(self)


ALL: list[Watch] = []


@pytest.fixture
def url(shipped: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A server that is flooded by one program."""
    monkeypatch.setattr(service, "Watch", Unhurried)
    context = AppContext(Registry(shipped), "cpu")
    context.turns = Turns(2, 32, of_one=4)
    ALL.clear()
    with served(build_demo(context), **launch_settings()) as address:
        try:
            yield address
        finally:
            for watch in ALL:
                watch.cancelled.set()


def result(http: httpx.Client, event: str) -> str:
    return http.get(f"gradio_api/call/translate/{event}").text


def test_others_are_answered_beside_a_flood(url: str) -> None:
    with (
        httpx.Client(base_url=url, timeout=120) as greedy,
        httpx.Client(base_url=url, timeout=120, headers={"origin": url.rstrip("/")}) as other,
    ):
        events = [begin(greedy, ENDLESS) for _ in range(FLOOD)]
        assert "event: complete" in result(other, begin(other, EASY))
        began = [watch for watch in ALL if watch.steps]
        assert all(not watch.cancelled.is_set() for watch in began)  # none of them had to end for it
        assert "of your requests wait in line already" in result(greedy, events[-1])


def test_what_gradios_queue_refuses_is_said_in_our_words(shipped: Path) -> None:
    demo = build_demo(AppContext(Registry(shipped), "cpu"))
    with served(demo, **launch_settings()) as url, httpx.Client(base_url=url, timeout=120) as http:
        fill_queue(demo)
        answer = http.post("gradio_api/call/v2/translate", json=EASY)
        assert answer.status_code == 503
        assert answer.json()["detail"].startswith(str(FULL).split("{", 1)[0])
