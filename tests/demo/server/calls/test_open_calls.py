"""Unfetched calls: few are accepted, other calls are answered meanwhile, and none is kept."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from demo.api.arguments import translate_arguments
from demo.i18n import say
from demo.page.interface import build_demo, launch_settings
from demo.server.calls import listeners
from demo.server.calls.open_calls import OpenCalls
from demo.server.gradio_queue import answers_of
from demo.server.page import Page
from demo.work import context as service
from demo.work import turns
from demo.work.context import AppContext
from demo.work.operator.caps import MAX_WAITING_PER_VISITOR
from demo.work.requests.caller import QUEUE_FULL, VISITOR_QUEUE_FULL, Owner
from demo.work.turns import Turns
from models.registry.registry import Registry
from tests.demo.conftest import LETTERS
from tests.fakes.calls import begin, http_client, served
from tests.fakes.paused_search import YieldingWatch
from tests.waiting import wait

EASY = {"checkpoint": LETTERS, "text": "hola", "strategy": "greedy", "max_length": 5}
ENDLESS = {**EASY, "strategy": "exact", "max_length": 40, "min_length": 30, "node_budget": 100_000}
FLOOD, HOUSE = 50, 20
ANA, BEN = Owner("ana", "ana"), Owner("ben", "ben")


def enter(calls: OpenCalls, owner: Owner, name: str) -> bool:
    """Post a call as `CountedCalls` and `Page` do; return whether it was accepted."""
    if calls.refusal(owner):
        return False
    with calls.post(owner) as call:
        if calls.set_owner(call, owner):
            return False
        call.session = call.name = name
    return True


def test_an_owner_has_a_bounded_number_of_open_calls() -> None:
    stored = {"a", "b", "c"}
    calls = OpenCalls(lambda _, name: name in stored, of_one=2, of_all=10)
    assert [enter(calls, ANA, name) for name in "abc"] == [True, True, False]
    assert enter(calls, BEN, "c")
    assert len(calls) == 3
    stored.remove("a")
    assert enter(calls, ANA, "d")
    assert len(calls) == 2  # the queue does not know of "d"


def test_a_call_counts_during_its_post_and_not_after_a_refusal() -> None:
    calls = OpenCalls(lambda *_: True, of_one=2, of_all=10)
    with calls.post(ANA), calls.post(Owner("", "ana")) as unnamed:
        assert not calls.refusal(ANA)
        assert not calls.set_owner(unnamed, ANA)
        assert calls.refusal(ANA)
        with calls.post(Owner("", "ana")) as third:
            assert calls.set_owner(third, ANA)
    assert len(calls) == 0


def test_an_owner_below_the_share_is_admitted_to_a_full_server() -> None:
    calls = OpenCalls(lambda *_: True, of_one=2, of_all=6)
    names = [enter(calls, Owner(f"name {number}", "many names"), str(number)) for number in range(8)]
    assert names == [True] * 6 + [False] * 2
    assert [enter(calls, Owner(f"pupil {number}", "school"), f"p{number}") for number in range(4)] == [
        *(True, True, True, False)
    ]
    assert enter(calls, BEN, "b")
    assert not enter(calls, Owner("another", "many names"), "9")


@pytest.fixture
def page(shipped: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, Page]]:
    """A served page that keeps unfetched answers without a time limit."""
    monkeypatch.setattr(service, "Watch", YieldingWatch)
    monkeypatch.setattr(turns, "SLICE_SECONDS", 0.0)
    monkeypatch.setattr(listeners, "GRACE_SECONDS", math.inf)
    monkeypatch.setattr(listeners, "EVERY_SECONDS", 1e9)
    context = AppContext(Registry(shipped), "cpu")
    context.turns = Turns(1, HOUSE)
    demo = build_demo(context)
    demo.open_calls = OpenCalls(demo.open_calls._is_kept, of_all=HOUSE)
    with served(demo, **launch_settings()) as url:
        try:
            yield url, demo
        finally:
            context.turns.close(30)


def call_of(demo: Page, way: str, number: int) -> tuple[str, dict[str, Any]]:
    """The address and the body of a search without an end."""
    if way == "by name":
        return "gradio_api/call/v2/translate", ENDLESS
    data = [ENDLESS.get(argument.name, argument.default) for argument in translate_arguments()]
    if way == "by place":
        return "gradio_api/call/translate", {"data": data}
    function = next(number for number, item in demo.fns.items() if item.api_name == "translate")
    session = "one" if way == "in one session" else f"session-{number}"
    return "gradio_api/queue/join", {"data": data, "fn_index": function, "session_hash": session}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("way", "most"),
    [
        ("by name", MAX_WAITING_PER_VISITOR),
        ("by place", MAX_WAITING_PER_VISITOR),
        ("in one session", MAX_WAITING_PER_VISITOR),
        ("in many sessions", HOUSE),
    ],
)
def test_few_unfetched_posts_are_accepted_and_none_is_kept(
    page: tuple[str, Page], monkeypatch: pytest.MonkeyPatch, way: str, most: int
) -> None:
    url, demo = page
    origin = {"origin": url.rstrip("/")} if "session" in way else {}
    elsewhere = {"x-forwarded-for": "198.51.100.1"}  # a server believes a proxy of its own machine
    with http_client(url, headers=origin) as greedy, http_client(url, headers=elsewhere) as other:
        posts = [call_of(demo, way, number) for number in range(FLOOD)]
        codes = [greedy.post(path, json=body).status_code for path, body in posts]
        assert codes == [200] * most + [429] * (FLOOD - most)
        detail = greedy.post(posts[-1][0], json=posts[-1][1]).json()["detail"]
        assert detail in {say(VISITOR_QUEUE_FULL, places=most), say(QUEUE_FULL, places=most)}
        event = begin(other, EASY)
        assert "event: complete" in other.get(f"gradio_api/call/translate/{event}").text
        monkeypatch.setattr(listeners, "GRACE_SECONDS", -1.0)  # too late to come for any of them
        wait(lambda: all(item.is_idle for item in answers_of(demo)))
    assert len(demo.open_calls) == most
    monkeypatch.setattr(listeners, "EVERY_SECONDS", 0.0)
    while demo._unread.sweep():
        pass
    assert answers_of(demo) == []
    assert len(demo.open_calls) == 0


@pytest.mark.slow
def test_an_owner_of_many_open_calls_is_refused_before_the_body_is_read(page: tuple[str, Page]) -> None:
    url, _ = page
    with http_client(url) as http:
        assert http.post("gradio_api/call/v2/translate", content="no JSON").status_code == 422
        for _ in range(MAX_WAITING_PER_VISITOR):
            begin(http, ENDLESS)
        assert http.post("gradio_api/call/v2/translate", content="no JSON").status_code == 429
