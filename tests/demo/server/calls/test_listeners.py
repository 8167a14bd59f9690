"""Calls whose answers nobody reads are dropped."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from demo.page.interface import build_demo, launch_settings
from demo.server.calls import listeners as module
from demo.server.calls.listeners import GRACE_SECONDS, PULSE_SECONDS, STALL_SECONDS, Listeners
from demo.server.gradio_queue import answers_of
from demo.work import context as service
from demo.work.context import AppContext
from demo.work.turns import Turns
from demo.work.watch import Watch
from models.registry.registry import Registry
from tests.demo.conftest import LETTERS
from tests.fakes.calls import begin, http_client, served
from tests.fakes.paused_search import YieldingWatch
from tests.fakes.servers.occupied_server import Occupied
from tests.waiting import wait

ENDLESS = {
    "checkpoint": LETTERS,
    "text": "hola",
    "strategy": "exact",
    "max_length": 40,
    "min_length": 30,
    "node_budget": 100_000,
}
ALL: list[Watch] = []


@dataclass(eq=False)
class NotedWatch(YieldingWatch):
    def __post_init__(self) -> None:
        ALL.append(self)


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@contextmanager
def stream(listeners: Listeners, session: str, left: bool = False) -> Iterator[None]:
    listeners._open[session] += 1
    yield
    listeners.note_end(session, left)


def test_a_caller_within_the_grace_period_is_awaited() -> None:
    clock = Clock()
    listeners = Listeners(clock)
    caller = listeners.listener_of("ana", clock.now)
    clock.now += GRACE_SECONDS
    assert not caller.is_absent()
    clock.now += 0.1
    assert caller.is_absent()
    with stream(listeners, "ana"):
        assert listeners.open == 1
        assert not caller.is_absent()
        clock.now += 100
        assert not caller.is_absent()
    assert not caller.is_absent()  # a stream that was read to its end: the next one may come
    assert listeners.listener_of("ben", clock.now - 100).is_absent()
    clock.now += GRACE_SECONDS + 0.1
    assert caller.is_absent()
    assert not listeners.has_left("ana", caller.called_at)
    assert listeners.open == 0


def test_a_caller_who_left_is_gone_for_earlier_requests() -> None:
    clock = Clock()
    listeners = Listeners(clock)
    before = listeners.listener_of("ana", clock.now)
    clock.now += 1
    with stream(listeners, "ana", left=True):
        assert not before.is_absent()
    assert before.is_absent()
    clock.now += 1
    after = listeners.listener_of("ana", clock.now)
    with stream(listeners, "ana"):
        assert before.is_absent()
        assert not after.is_absent()
    assert not after.is_absent()


def test_a_caller_is_not_late_while_the_event_loop_stalls() -> None:
    clock = Clock()
    listeners = Listeners(clock)
    caller = listeners.listener_of("ana", clock.now)

    async def stall() -> None:
        listeners.watch()
        clock.now += GRACE_SECONDS + PULSE_SECONDS + STALL_SECONDS + 0.1
        assert not caller.is_absent()  # nobody has looked at the loop since
        await until(lambda: listeners._stalled_until == clock.now)
        for _ in range(round(GRACE_SECONDS / PULSE_SECONDS)):
            assert not caller.is_absent()
            clock.now += PULSE_SECONDS
            await until(lambda: listeners._pulse_due > clock.now)
        assert listeners._pulse_due == math.inf  # nobody is awaited any more
        clock.now += 0.1
        assert caller.is_absent()

    asyncio.run(stall())


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0.01)


def test_the_number_of_remembered_sessions_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_ENDED_SESSIONS", 3)
    listeners = Listeners(Clock())
    for number in range(10):
        with stream(listeners, str(number), left=True):
            pass
    assert not listeners.has_left("6", 0)
    assert listeners.has_left("7", 0)
    assert len(listeners._ended) == 3


@pytest.fixture
def context(shipped: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[AppContext]:
    monkeypatch.setattr(service, "Watch", NotedWatch)
    monkeypatch.setattr(module, "GRACE_SECONDS", math.inf)
    context = AppContext(Registry(shipped), "cpu")
    context.turns = Turns(1, 32)
    ALL.clear()
    try:
        yield context
    finally:
        for watch in ALL:
            watch.cancelled.set()


@pytest.mark.slow
def test_an_unfetched_call_is_dropped_before_running(
    context: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "GRACE_SECONDS", 0.0)
    occupied, demo = Occupied(context.turns, 1), build_demo(context)
    with served(demo, **launch_settings()) as url, http_client(url) as http:
        event = begin(http, ENDLESS)
        wait(lambda: any(event in item.calls for item in answers_of(demo)))
        answer = http.get(f"gradio_api/call/translate/{event}").text
    assert "Stopped before its turn came" in answer  # a later caller reads it too
    assert not any(watch.steps for watch in ALL)
    occupied.free()


@pytest.mark.slow
def test_a_running_call_ends_when_its_stream_closes(context: AppContext) -> None:
    with served(build_demo(context), **launch_settings()) as url, http_client(url) as http:
        event = begin(http, ENDLESS)
        path = f"gradio_api/call/translate/{event}"
        with http_client(url) as other, other.stream("GET", path) as reading:
            assert reading.status_code == 200
            wait(lambda: bool(ALL and ALL[0].steps))
            assert not ALL[0].cancelled.is_set()
        wait(ALL[0].cancelled.is_set)
        waiting = begin(http, {**ENDLESS, "strategy": "greedy", "min_length": 1, "max_length": 5})
        assert "event: complete" in http.get(f"gradio_api/call/translate/{waiting}").text
