"""The states of a run and of an edit: an answer at once, or progress and then the answer; refusals."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Event
from typing import Any

import httpx
import pytest

from demo.decode.server_functions import edit_request, on_edit, on_run
from demo.i18n import say
from demo.page.interface import build_demo, launch_settings
from demo.server.calls import begun_work
from demo.server.calls.begun_work import State
from demo.server.gate.rates import Rates
from demo.server.page import WRONG_COUNT
from demo.trace.payload import trace_payload
from demo.widgets.view.payload import json_text
from demo.work import running as service
from demo.work.context import AppContext
from demo.work.errors import UNEXPECTED_ERROR
from demo.work.requests.decode import DecodeRequest
from demo.work.running import RunningDecodings
from demo.work.watch import Watch
from models.decoding.trace import DecodingTrace
from models.registry.registry import Registry
from tests.demo.conftest import LETTERS
from tests.demo.form import in_form
from tests.fakes.calls import served
from tests.fakes.stepwise import stepwise
from tests.waiting import PATIENCE, wait


def greedy(text: object = "hola") -> list[object]:
    return in_form(text, strategy="greedy", max_length=6)


def edit(**changes: object) -> dict[str, object]:
    """Return the view's message about an edit that changes the first token."""
    settings = {"max_length": 6, "length_penalty": 1.0}
    request = {"checkpoint": LETTERS, "text": "hola", "strategy": "greedy", "forced": [5]}
    return {**request, "settings": settings, "typed": "", "overrides": [], **changes}


@pytest.fixture
def ready(context: AppContext) -> AppContext:
    """Return the context with the weights in memory."""
    context.decode(DecodeRequest(LETTERS, "hola"))
    return context


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every decoding is answered without progress, on any machine."""
    monkeypatch.setattr(service, "FIRST_REPORT_SECONDS", PATIENCE)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Event:
    """An event for which decodings wait, so that each reports its progress first, on any machine."""
    gate_event, decode = Event(), AppContext.decode

    def decode_behind(context: AppContext, request: DecodeRequest, watch: Watch) -> DecodingTrace:
        wait(lambda: gate_event.is_set() or watch.cancelled.is_set())
        return decode(context, request, watch)

    monkeypatch.setattr(AppContext, "decode", decode_behind)
    monkeypatch.setattr(service, "FIRST_REPORT_SECONDS", 0.0)
    return gate_event


@pytest.mark.usefixtures("patient")
def test_a_quick_run_has_one_state(ready: AppContext) -> None:
    running = RunningDecodings()
    (state,) = stepwise(on_run(ready, running, "me", greedy()))
    assert state["trace"]["trace"]["source_text"] == "hola"
    assert state["note"] == ""
    assert len(running) == 0


@pytest.mark.usefixtures("patient")
def test_an_edit_is_answered_with_its_trace(ready: AppContext) -> None:
    running = RunningDecodings()
    (state,) = stepwise(on_edit(ready, running, "me", edit()))
    trace = ready.decode(edit_request(ready, edit()))
    assert trace.forced == (5,)
    assert json_text(state["trace"]) == trace_payload(trace)
    assert len(running) == 0


@pytest.mark.parametrize("values", [greedy(" "), greedy(7), ["nowhere", *greedy()[1:]], [{}] * len(greedy())])
def test_a_run_is_refused_with_a_sentence(ready: AppContext, values: list[object]) -> None:
    (state,) = stepwise(on_run(ready, RunningDecodings(), "me", values))
    assert state.keys() == {"refused"}
    assert state["refused"].endswith((".", "?"))


@pytest.mark.parametrize("values", [[], None, 7, {}, greedy()[:-1]])
def test_a_run_without_a_value_for_each_widget_is_refused(ready: AppContext, values: object) -> None:
    (state,) = stepwise(on_run(ready, RunningDecodings(), "me", values))
    count = len(values) if isinstance(values, list) else 0
    assert state == {"refused": say(WRONG_COUNT, count=len(greedy()), given=count)}


@pytest.mark.parametrize("data", [None, {}, edit(forced="x"), edit(checkpoint="nowhere"), edit(typed="\0")])
def test_an_edit_is_refused_with_a_sentence(ready: AppContext, data: object) -> None:
    (state,) = stepwise(on_edit(ready, RunningDecodings(), "me", data))
    assert state.keys() == {"refused"}


def test_a_refused_run_does_not_stop_the_decoding_before_it(ready: AppContext) -> None:
    running = RunningDecodings()
    watch = running.begin("me")
    list(stepwise(on_run(ready, running, "me", greedy(" "))))
    assert not watch.cancelled.is_set()


def test_an_unexpected_failure_is_logged_and_hidden(
    ready: AppContext, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> DecodingTrace:
        raise ZeroDivisionError("a secret path")

    monkeypatch.setattr(AppContext, "decode", fail)
    running = RunningDecodings()
    (state,) = stepwise(on_run(ready, running, "me", greedy()))
    assert state == {"refused": UNEXPECTED_ERROR}
    assert [record.exc_info is not None for record in caplog.records] == [True]
    assert len(running) == 0


@pytest.mark.parametrize(("on", "data"), [(on_run, greedy()), (on_edit, edit())])
def test_a_slow_decoding_reports_its_progress_first(
    ready: AppContext, gate: Event, on: Any, data: object
) -> None:
    running = RunningDecodings()
    states = stepwise(on(ready, running, "me", data))
    assert next(states).keys() == {"progress"}
    gate.set()
    assert list(states)[-1]["trace"]["trace"]["source_text"] == "hola"
    assert len(running) == 0


def test_a_decoding_whose_states_are_not_wanted_any_more_is_stopped_and_forgotten(
    ready: AppContext, gate: Event
) -> None:
    running, begun = RunningDecodings(), list[Watch]()
    begin = running.begin
    running.begin = lambda session: begun.append(begin(session)) or begun[-1]  # type: ignore[method-assign, func-returns-value]
    states = stepwise(on_run(ready, running, "me", greedy()))
    next(states)
    assert not begun[0].cancelled.is_set()
    states.close()
    assert begun[0].cancelled.is_set()
    assert not gate.is_set()
    assert len(running) == 0


@pytest.mark.parametrize(("on", "data"), [(on_run, greedy()), (on_edit, edit())])
def test_a_decoding_is_not_answered_after_another_was_requested(
    ready: AppContext, gate: Event, on: Any, data: object
) -> None:
    running = RunningDecodings()
    states = stepwise(on(ready, running, "me", data))
    next(states)
    running.begin("me")
    gate.set()
    assert list(states)[-1] == {}


@pytest.mark.slow
@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("per_minute", [0, 1])
def test_the_page_is_answered_and_counted(shipped: Path, per_minute: int) -> None:
    demo = build_demo(AppContext(Registry(shipped), "cpu"), rates=Rates(per_minute, lambda: 0.0))
    with served(demo, **launch_settings()) as url:
        assert ask(url, demo, greedy())["trace"]["trace"]["source_text"] == "hola"
        assert "refused" in ask(url, demo, greedy(" "))
        answers = [ask(url, demo, greedy(f"hola {number}")) for number in range(5)]
        assert sum("trace" in answer for answer in answers) == (3 if per_minute else 5)
        if per_minute:
            assert "Too many requests at once. Wait" in answers[-1]["note"]


@pytest.mark.slow
def test_a_page_follows_a_slow_decoding(shipped: Path, gate: Event) -> None:
    demo = build_demo(AppContext(Registry(shipped), "cpu"))
    with served(demo, **launch_settings()) as url:
        first = ask(url, demo, greedy())
        assert first.keys() == {"progress", "address"}
        gate.set()
        with httpx.stream("GET", url + first["address"]) as stream:
            lines = [line for line in stream.iter_lines() if line]
        *progress, last = (json.loads(line.removeprefix("data: ")) for line in lines)
        assert all(state.keys() == {"progress"} for state in progress)
        assert last["trace"]["trace"]["source_text"] == "hola"
        assert httpx.get(url + first["address"]).status_code == 404  # nobody else reads the answer


@pytest.mark.slow
@pytest.mark.usefixtures("gate")
@pytest.mark.parametrize("opens", [True, False])
def test_the_decoding_of_a_closed_page_is_stopped(
    shipped: Path, monkeypatch: pytest.MonkeyPatch, opens: bool
) -> None:
    begun: list[Watch] = []

    def noted(*values: Any) -> Watch:
        begun.append(Watch(*values))
        return begun[-1]

    monkeypatch.setattr(service, "Watch", noted)
    monkeypatch.setattr(begun_work, "UNFOLLOWED_SECONDS", PATIENCE if opens else 0.0)
    demo = build_demo(AppContext(Registry(shipped), "cpu"))
    with served(demo, **launch_settings()) as url:
        first = ask(url, demo, greedy())
        if opens:
            with httpx.stream("GET", url + first["address"]) as stream:
                lines = stream.iter_lines()
                next(lines)
                assert not begun[0].cancelled.is_set()
        wait(lambda: begun[0].cancelled.is_set())
        wait(lambda: demo.begun_work.followed == 0)


def ask(url: str, demo: Any, values: list[object]) -> State:
    """Ask as the page's script does, and return the first state."""
    (trace,) = (block._id for block in demo.blocks.values() if getattr(block, "elem_id", None) == "trace")
    call = {"component_id": trace, "fn_name": "begin_decoding", "session_hash": "mine", "data": values}
    state: State = httpx.post(f"{url}gradio_api/component_server", json=call).json()
    return state
