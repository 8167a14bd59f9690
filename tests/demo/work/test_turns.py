"""The waiting line before the processor."""

from __future__ import annotations

import weakref
from threading import Event, Thread

import pytest

from demo.decode.server_functions import on_run
from demo.work import turns as turns_module
from demo.work.context import AppContext
from demo.work.requests.checks import RequestError
from demo.work.requests.decode import DecodeRequest
from demo.work.running import RunningDecodings, in_steps, progress_text
from demo.work.turns import QueueFullError, Turns
from demo.work.watch import Watch
from models.decoding.trace import DecodingTrace
from tests.demo.conftest import LETTERS
from tests.demo.form import in_form
from tests.fakes.servers.occupied_server import Occupied
from tests.fakes.stepwise import stepwise
from tests.refusals import refused
from tests.waiting import wait


def waiter(turns: Turns, watch: Watch, log: list[object]) -> Thread:
    def work() -> None:
        try:
            with turns.turn(watch):
                log.append(watch)
        except RequestError as error:
            log.append(str(error))

    thread = Thread(target=work)
    thread.start()
    return thread


def test_a_free_turn_begins_at_once() -> None:
    watch = Watch()
    with Turns(1, 1).turn(watch):
        assert watch.decodings_ahead == 0


def test_waiting_visitors_see_their_position_and_are_served_in_order() -> None:
    turns, log = Turns(2, 10), list[object]()
    occupied = Occupied(turns, 2)
    watches, threads = [Watch() for _ in range(4)], []
    for index, watch in enumerate(watches):
        threads.append(waiter(turns, watch, log))
        wait(lambda watch=watch, index=index: watch.decodings_ahead == 2 + index)  # type: ignore[misc]
    assert progress_text(watches[1]).startswith("3 ahead of you.")
    occupied.free()
    for thread in threads:
        thread.join()
    assert {id(watch) for watch in log} == {id(watch) for watch in watches}
    assert [watch.decodings_ahead for watch in watches] == [0] * 4


def test_a_single_turn_is_given_in_the_order_of_arrival() -> None:
    turns, log = Turns(1, 10), list[object]()
    occupied = Occupied(turns, 1)
    watches, threads = [Watch() for _ in range(5)], []
    for index, watch in enumerate(watches):
        threads.append(waiter(turns, watch, log))
        wait(lambda watch=watch, index=index: watch.decodings_ahead == 1 + index)  # type: ignore[misc]
    occupied.free()
    for thread in threads:
        thread.join()
    assert log == watches


def test_a_stopped_visitor_leaves_the_line_and_the_others_move_up() -> None:
    turns, log = Turns(1, 10), list[object]()
    occupied = Occupied(turns, 1)
    first, second = Watch(), Watch()
    leaving = waiter(turns, first, log)
    wait(lambda: first.decodings_ahead == 1)
    staying = waiter(turns, second, log)
    wait(lambda: second.decodings_ahead == 2)
    first.cancelled.set()
    leaving.join()
    wait(lambda: second.decodings_ahead == 1)
    assert log == ["Stopped before its turn came; the result below is the previous one."]
    occupied.free()
    staying.join()
    assert log[1] is second


def test_a_full_line_refuses_with_a_sentence() -> None:
    turns, log = Turns(1, 1), list[object]()
    occupied = Occupied(turns, 1)
    watch = Watch()
    thread = waiter(turns, watch, log)
    wait(lambda: watch.decodings_ahead == 1)
    with refused(RequestError, "line_full", 1), turns.turn(Watch()):
        pass
    occupied.free()
    thread.join()
    with turns.turn(Watch()):  # and there is room again
        pass


def test_a_failed_decoding_frees_its_turn() -> None:
    turns = Turns(1, 1)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError), turns.turn(Watch()):
            raise ZeroDivisionError


def test_the_deadline_begins_with_the_turn() -> None:
    turns, log = Turns(1, 1), list[object]()
    occupied = Occupied(turns, 1)
    watch = Watch(started=0.0)
    thread = waiter(turns, watch, log)
    wait(lambda: watch.decodings_ahead == 1)
    assert watch.started == 0.0
    occupied.free()
    thread.join()
    assert watch.started > 0.0


def test_a_visitor_sees_their_place_and_then_the_result(context: AppContext) -> None:
    context.decode(DecodeRequest(LETTERS, "hola"))
    context.turns = Turns(1, 5)
    occupied = Occupied(context.turns, 1)
    answers = stepwise(in_steps(context, DecodeRequest(LETTERS, "hola"), Watch()))
    next(answer for answer in answers if str(answer).startswith("1 ahead of you."))
    occupied.free()
    assert isinstance(list(answers)[-1], DecodingTrace)


def test_a_full_line_is_reported_in_the_progress(context: AppContext) -> None:
    context.turns = Turns(1, 0)
    answers = list(stepwise(on_run(context, RunningDecodings(), "me", in_form(strategy="greedy"))))
    assert "try again in a minute" in answers[-1]["note"]
    with pytest.raises(QueueFullError):  # programs get it as an error
        context.decode(DecodeRequest(LETTERS, "hola"))


def test_a_stopped_decoding_leaves_the_line(context: AppContext) -> None:
    context.turns = Turns(1, 5)
    occupied = Occupied(context.turns, 1)
    running = RunningDecodings()
    answers = stepwise(on_run(context, running, "me", in_form(strategy="greedy")))
    next(answer for answer in answers if "ahead of you" in answer["progress"])
    running.stop("me")
    assert "Stopped before its turn came" in list(answers)[-1]["note"]
    assert len(running) == 0
    occupied.free()


def test_the_decoding_of_a_closed_page_leaves_the_line(context: AppContext) -> None:
    context.turns = Turns(1, 5)
    occupied = Occupied(context.turns, 1)
    watch = Watch()
    answers = stepwise(in_steps(context, DecodeRequest(LETTERS, "hola"), watch))
    next(answer for answer in answers if "ahead of you" in str(answer))
    answers.close()
    wait(lambda: watch.decodings_ahead == 0)
    occupied.free()


class Cycle:
    """An object that only the garbage collector frees."""

    def __init__(self) -> None:
        self.itself = self


@pytest.mark.slow
def test_memory_is_returned_after_a_large_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    resident, returned = [100 << 20], Event()

    def give_back() -> None:
        resident[0] = 100 << 20
        returned.set()

    monkeypatch.setattr(turns_module, "resident_bytes", lambda: resident[0])
    monkeypatch.setattr(turns_module, "return_freed_memory", give_back)
    monkeypatch.setattr(turns_module, "SETTLE_SECONDS", 0)
    turns = Turns(1, 1)
    for _ in range(2):  # also the second time
        returned.clear()
        with turns.turn(Watch()):
            freed = weakref.ref(Cycle())
            resident[0] += 100 << 20
        wait(lambda: turns._timer is None)
        assert returned.is_set()
        wait(lambda freed=freed: freed() is None)  # type: ignore[misc]  # another thread may have been collecting
