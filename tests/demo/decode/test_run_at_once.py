"""A decoding that is ready soon is answered by one request; any other goes through the queue."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import gradio as gr
import httpx
import pytest

from demo.decode import immediate_answers as module
from demo.decode.edits import on_edit
from demo.decode.immediate_answers import on_edit_at_once, on_run_at_once
from demo.decode.run import on_run
from demo.page.interface import build_demo, launch_settings
from demo.server.gate.rates import Rates
from demo.trace.payload import trace_payload
from demo.widgets.view.payload import json_text
from demo.work.context import AppContext
from demo.work.decoding.running import RunningDecodings, UnderWay
from demo.work.requests.decode import DecodeRequest
from models.decoding.options import settings
from models.decoding.trace import DecodingTrace
from models.registry.registry import Registry
from tests.demo.conftest import LETTERS
from tests.fakes.calls import served
from tests.waiting import PATIENCE

GREEDY: list[object] = [
    {"strategy": "greedy", "max_length": 6}.get(name, s.default) for name, s in settings().items()
]


def widget_values(text: object = "hola") -> list[object]:
    """Return the widgets' values."""
    return [LETTERS, text, *GREEDY]


def at_once(context: AppContext, running: RunningDecodings, values: list[object]) -> dict[str, Any] | None:
    return asyncio.run(on_run_at_once(context, running, "me", values))


@pytest.fixture
def ready(context: AppContext) -> AppContext:
    """Return the context with the weights in memory."""
    context.decode(DecodeRequest(LETTERS, "hola"))
    return context


def queued(context: AppContext, running: RunningDecodings, *values: object) -> DecodingTrace:
    *_, (trace, _) = on_run(context, running, "me", *values)
    assert isinstance(trace, DecodingTrace)
    return trace


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Event:
    """An event for which decodings wait, so that none is ready at once on any machine."""
    gate_event, decode = Event(), AppContext.decode

    def decode_behind(context: AppContext, request: DecodeRequest, *others: Any) -> DecodingTrace:
        gate_event.wait()
        return decode(context, request, *others)

    monkeypatch.setattr(AppContext, "decode", decode_behind)
    return gate_event


def hand_over(
    context: AppContext, monkeypatch: pytest.MonkeyPatch, gate: Event, within: float
) -> tuple[RunningDecodings, UnderWay]:
    """Hand a decoding over to the queue without waiting for it."""
    running, begun = RunningDecodings(), []
    start = module.start

    def noted(*values: Any) -> UnderWay:
        begun.append(start(*values))
        return begun[-1]

    monkeypatch.setattr(module, "start", noted)
    monkeypatch.setattr(module, "FIRST_REPORT_SECONDS", 0.0)
    monkeypatch.setattr(module, "MAX_HANDOVER_SECONDS", within)

    async def ask() -> None:
        assert await on_run_at_once(context, running, "me", widget_values()) is None
        await asyncio.sleep(2 * within if within < 1 else 0)

    asyncio.run(ask())
    gate.set()
    (under_way,) = begun
    return running, under_way


def test_a_quick_answer_equals_that_of_the_queue(ready: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FIRST_REPORT_SECONDS", PATIENCE)
    running = RunningDecodings()
    answer = at_once(ready, running, widget_values())
    assert answer is not None
    in_queue = json.loads(trace_payload(queued(ready, running, *widget_values())))
    assert json.loads(json_text(answer["trace"]))["trace"]["hypotheses"] == in_queue["trace"]["hypotheses"]
    assert answer["note"] == ""
    assert len(running) == 0


@pytest.mark.parametrize(
    "values", [widget_values(" "), widget_values(7), ["nowhere", *widget_values()[1:]], [], [{}] * 40]
)
def test_a_refused_request_is_left_to_the_queue(
    ready: AppContext, values: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FIRST_REPORT_SECONDS", PATIENCE)
    running = RunningDecodings()
    assert at_once(ready, running, values) is None
    assert len(running) == 0


def test_a_slow_decoding_continues_in_the_queue(
    ready: AppContext, monkeypatch: pytest.MonkeyPatch, gate: Event
) -> None:
    running, under_way = hand_over(ready, monkeypatch, gate, within=PATIENCE)
    assert not under_way.watch.cancelled.is_set()
    assert queued(ready, running, *widget_values()) is under_way.decoding.result()
    assert len(running) == 0


def edit(**changes: object) -> dict[str, object]:
    """Return the view's message about an edit that changes the first token."""
    greedy = {"max_length": 6, "length_penalty": 1.0}
    request = {"checkpoint": LETTERS, "text": "hola", "strategy": "greedy", "settings": greedy, "forced": [5]}
    return {**request, "typed": "", "overrides": [], **changes}


def edited(context: AppContext, running: RunningDecodings, data: object) -> dict[str, Any] | None:
    return asyncio.run(on_edit_at_once(context, running, "me", data))


def test_an_edit_gets_the_same_answer_as_from_the_queue(
    ready: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FIRST_REPORT_SECONDS", PATIENCE)
    running = RunningDecodings()
    answer = edited(ready, running, edit())
    assert answer is not None
    in_queue = on_edit(ready, running, "me", edit())
    assert in_queue.forced == (5,)
    assert json_text(answer["trace"]) == trace_payload(in_queue)
    assert len(running) == 0


@pytest.mark.parametrize("data", [None, {}, edit(forced="x"), edit(checkpoint="nowhere"), edit(typed="\0")])
def test_an_edit_that_is_refused_is_left_to_the_queue(
    ready: AppContext, data: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FIRST_REPORT_SECONDS", PATIENCE)
    running = RunningDecodings()
    assert edited(ready, running, data) is None
    assert len(running) == 0


def test_a_slow_edit_continues_in_the_queue(
    ready: AppContext, monkeypatch: pytest.MonkeyPatch, gate: Event
) -> None:
    running, begun = RunningDecodings(), []
    monkeypatch.setattr(module, "FIRST_REPORT_SECONDS", 0.0)
    hand_over, keep = begun.append, running.hand_over
    monkeypatch.setattr(running, "hand_over", lambda *values: (hand_over(values[1]), keep(*values)))

    async def ask() -> DecodingTrace:
        assert await on_edit_at_once(ready, running, "me", edit()) is None
        gate.set()
        return await asyncio.to_thread(on_edit, ready, running, "me", edit())

    assert asyncio.run(ask()) is begun[0].decoding.result()
    assert len(running) == 0


def test_another_text_does_not_reuse_a_begun_decoding(
    ready: AppContext, monkeypatch: pytest.MonkeyPatch, gate: Event
) -> None:
    running, under_way = hand_over(ready, monkeypatch, gate, within=PATIENCE)
    assert queued(ready, running, *widget_values("amigo")).source_text == "amigo"
    assert under_way.watch.superseded


def test_a_decoding_that_the_queue_does_not_take_is_stopped(
    ready: AppContext, monkeypatch: pytest.MonkeyPatch, gate: Event
) -> None:
    running, under_way = hand_over(ready, monkeypatch, gate, within=0.01)
    assert under_way.watch.cancelled.is_set()
    assert len(running) == 0


def test_a_decoding_of_a_visitor_who_left_is_stopped_and_forgotten(
    ready: AppContext, monkeypatch: pytest.MonkeyPatch, gate: Event
) -> None:
    running, under_way = hand_over(ready, monkeypatch, gate, within=PATIENCE)
    running.leave("you")
    assert not under_way.watch.cancelled.is_set()
    running.leave("me")
    assert under_way.watch.cancelled.is_set()
    assert [*on_run(ready, running, "me", *widget_values())][-1] == (gr.skip(), "")
    assert len(running) == 0


@pytest.mark.parametrize("replaced", [RunningDecodings.begin, RunningDecodings.leave])
def test_an_edit_is_not_answered_after_another_result_is_shown(
    ready: AppContext, monkeypatch: pytest.MonkeyPatch, gate: Event, replaced: Callable[..., object]
) -> None:
    monkeypatch.setattr(module, "FIRST_REPORT_SECONDS", 0.0)
    running = RunningDecodings()

    async def ask() -> object:
        assert await on_edit_at_once(ready, running, "me", edit()) is None
        replaced(running, "me")
        gate.set()
        return await asyncio.to_thread(on_edit, ready, running, "me", edit())

    assert asyncio.run(ask()) == gr.skip()


@pytest.mark.slow
@pytest.mark.parametrize("per_minute", [0, 1])
def test_the_page_is_answered_and_counted(
    shipped: Path, monkeypatch: pytest.MonkeyPatch, per_minute: int
) -> None:
    monkeypatch.setattr(module, "FIRST_REPORT_SECONDS", PATIENCE)
    demo = build_demo(AppContext(Registry(shipped), "cpu"), rates=Rates(per_minute, lambda: 0.0))
    (trace,) = (block._id for block in demo.blocks.values() if getattr(block, "elem_id", None) == "trace")
    with served(demo, **launch_settings()) as url:

        def ask(text: str, session: object = "mine") -> Any:
            call = {"component_id": trace, "fn_name": "decode_at_once", "session_hash": session}
            return httpx.post(f"{url}gradio_api/component_server", json={**call, "data": widget_values(text)})

        assert ask("hola").json()["trace"]["trace"]["source_text"] == "hola"
        assert ask(" ").json() is None  # a refusal is not counted
        answers = [ask(f"hola {number}").json() for number in range(5)]
        assert (answers[-1] is None) == bool(per_minute)
        assert sum(answer is not None for answer in answers) == (4 if per_minute else 5)
