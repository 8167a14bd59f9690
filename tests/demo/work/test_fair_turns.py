"""Turns at the processor, shared by all visitors."""

from __future__ import annotations

import math
import time
from contextlib import suppress
from dataclasses import dataclass
from threading import Event, Thread
from types import SimpleNamespace

import pytest

from demo.work import turns as module
from demo.work.context import AppContext
from demo.work.requests.caller import heard_by, owned_by
from demo.work.requests.checks import RequestError
from demo.work.requests.decode import DecodeRequest
from demo.work.turns import QueueFullError, Turns
from demo.work.watch import Watch
from models.decoding.options import DecodingOptions
from tests.demo.conftest import LETTERS
from tests.fakes.servers.occupied_server import Occupied
from tests.refusals import refused
from tests.waiting import wait


def long_decoding_by(turns: Turns, name: str) -> tuple[Event, Watch, Thread]:
    """A long decoding of an owner, which checks for waiting ones until the event is set."""
    done, watch = Event(), Watch()

    def hold() -> None:
        with owned_by(name), turns.turn(watch):
            while not done.is_set():
                assert watch.pause is not None
                watch.pause()
                time.sleep(0.001)

    thread = Thread(target=hold)
    thread.start()
    wait(lambda: watch.pause is not None)
    return done, watch, thread


def request_by(turns: Turns, name: str, log: list[object], ip_group: str = "") -> Thread:
    def ask() -> None:
        with suppress(QueueFullError), owned_by(name, ip_group), turns.turn(Watch()):
            log.append(name)

    thread = Thread(target=ask)
    thread.start()
    return thread


def test_a_long_decoding_yields_and_continues(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SLICE_SECONDS", 0.01)
    turns, log = Turns(1, 10), list[object]()
    done, watch, long = long_decoding_by(turns, "ana")
    for name in ("ben", "cleo", "ben"):
        request_by(turns, name, log).join()
    assert log == ["ben", "cleo", "ben"]
    assert long.is_alive()
    assert watch.decodings_ahead == 0  # a running decoding does not wait in line
    done.set()
    long.join()
    assert not long.is_alive()


def test_time_of_other_decodings_does_not_count_against_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(monotonic=lambda: clock.now, now=0.0)
    monkeypatch.setattr(module, "time", clock)
    monkeypatch.setattr(module, "SLICE_SECONDS", 0.0)
    turns = Turns(1, 10)
    done, watch, long = long_decoding_by(turns, "ana")

    def hold() -> None:
        with owned_by("ben"), turns.turn(Watch()):
            clock.now += 100.0

    other = Thread(target=hold)
    other.start()
    other.join()
    wait(lambda: watch.started > 0.0)
    done.set()
    long.join()
    assert watch.started == 100.0


def test_a_visitors_second_decoding_waits_for_the_first_of_all_others() -> None:
    turns, log, threads = Turns(1, 20), list[object](), []
    occupied = Occupied(turns, 1)
    for count, name in enumerate(("ana", "ana", "ana", "ben", "cleo")):
        threads.append(request_by(turns, name, log))
        wait(lambda count=count: len(turns._waiting) == count + 1)  # type: ignore[misc]
    occupied.free()
    for thread in threads:
        thread.join()
    assert log == ["ana", "ben", "cleo", "ana", "ana"]


def test_no_owner_begins_a_second_decoding_during_a_pause_of_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "SLICE_SECONDS", 0.0)
    turns, log = Turns(1, 20), list[object]()
    done, _, long = long_decoding_by(turns, "ana")
    second = request_by(turns, "ana", log)
    wait(lambda: bool(turns._waiting))
    request_by(turns, "ben", log).join()
    assert log == ["ben"]
    done.set()
    long.join()
    second.join()
    assert log == ["ben", "ana"]


def test_a_visitors_places_in_line_are_bounded() -> None:
    turns, log = Turns(1, 20, of_one=2), list[object]()
    occupied = Occupied(turns, 1)
    threads = [request_by(turns, "ana", log) for _ in range(2)]
    wait(lambda: len(turns._waiting) == 2)
    with refused(QueueFullError, "your_places_full", 2), owned_by("ana"), turns.turn(Watch()):
        pass
    threads.append(request_by(turns, "ben", log))
    occupied.free()
    for thread in threads:
        thread.join()
    assert sorted(map(str, log)) == ["ana", "ana", "ben"]


def test_in_a_full_line_the_largest_owner_gives_a_place_to_a_new_one() -> None:
    turns, log, displaced = Turns(1, 4, of_one=4), list[object](), list[str]()
    occupied = Occupied(turns, 1)

    def ask(name: str) -> None:
        try:
            with owned_by(name), turns.turn(Watch()):
                log.append(name)
        except QueueFullError:
            displaced.append(name)

    def join(name: str, waiting: int) -> Thread:
        thread = Thread(target=ask, args=(name,))
        thread.start()
        wait(lambda: len(turns._waiting) == waiting)
        return thread

    threads = [join(name, count + 1) for count, name in enumerate(("ana", "ana", "ana", "ben"))]
    threads.append(Thread(target=ask, args=("cleo",)))
    threads[-1].start()
    wait(lambda: displaced == ["ana"])
    with refused(QueueFullError, "line_full", 4), owned_by("ana"), turns.turn(Watch()):
        pass  # an owner with as many places as any other displaces nobody
    occupied.free()
    for thread in threads:
        thread.join()
    assert log == ["ana", "ben", "cleo", "ana"]
    assert turns._served == {}


def test_in_a_full_line_the_address_with_fewer_places_gets_one() -> None:
    turns, log, threads = Turns(1, 3), list[object](), []
    occupied = Occupied(turns, 1)
    for number in range(3):
        threads.append(request_by(turns, f"ana {number}", log, "school"))
        wait(lambda number=number: len(turns._waiting) == number + 1)  # type: ignore[misc]
    with refused(QueueFullError, "line_full", 3), owned_by("ana 3", "school"), turns.turn(Watch()):
        pass
    threads.append(request_by(turns, "ben", log))
    threads[2].join()  # it gave its place up
    occupied.free()
    for thread in threads:
        thread.join()
    assert log == ["ana 0", "ben", "ana 1"]  # a network's second new name comes after another's first
    assert turns._served == turns._ip_group_served == {}


@dataclass
class Reader:
    """A listener who leaves when a test says so."""

    absent: bool = False

    def is_absent(self) -> bool:
        return self.absent


def test_a_request_without_a_listener_never_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STOP_CHECK_SECONDS", 0.01)
    turns, reader = Turns(1, 4), Reader(absent=True)
    with refused(RequestError, "left_the_line"), heard_by(reader), turns.turn(Watch()):
        pytest.fail("it began")
    reader.absent = False
    occupied, begun = Occupied(turns, 1), Event()

    def ask() -> None:
        with suppress(RequestError), heard_by(reader), turns.turn(Watch()):
            begun.set()

    thread = Thread(target=ask)
    thread.start()
    wait(lambda: len(turns._waiting) == 1)
    reader.absent = True
    thread.join()
    assert not thread.is_alive()
    assert not begun.is_set()
    occupied.free()
    assert turns._running == turns._waiting == []


def test_a_running_request_ends_when_its_reader_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SLICE_SECONDS", 0.0)
    turns, reader, watch = Turns(1, 4), Reader(), Watch()
    with heard_by(reader), turns.turn(watch):
        watch.let_others_run()
        assert not watch.cancelled.is_set()
        reader.absent = True
        watch.let_others_run()
        assert watch.cancelled.is_set()


def test_a_closed_line_ends_running_calls_and_starts_none() -> None:
    turns, log = Turns(1, 4), list[str]()
    done, watch, long = long_decoding_by(turns, "ana")

    def ask() -> None:
        try:
            with owned_by("ben"), turns.turn(Watch()):
                log.append("began")
        except RequestError as error:
            log.append(str(error))

    waiting = Thread(target=ask)
    waiting.start()
    wait(lambda: len(turns._waiting) == 1)
    assert not turns.close(0)
    assert watch.cancelled.is_set()
    assert watch.shuts_down
    done.set()
    assert turns.close(30)
    for thread in (long, waiting):
        thread.join()
    ask()
    assert len(log) == 2
    assert all("shutting down" in message for message in log)


def test_a_request_stopped_during_a_pause_returns_its_best_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SLICE_SECONDS", 0.0)
    monkeypatch.setattr(module, "STOP_CHECK_SECONDS", 0.01)
    turns = Turns(1, 10)
    done, watch, long = long_decoding_by(turns, "ana")
    blocking, _, other = long_decoding_by(turns, "ben")
    watch.cancelled.set()
    done.set()
    long.join()
    assert not long.is_alive()
    blocking.set()
    other.join()
    assert turns._running == turns._waiting == []
    assert turns._served == {}


def test_an_exact_search_takes_turns_with_quick_decodings(
    context: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SLICE_SECONDS", 0.0)
    context.decode(DecodeRequest(LETTERS, "hola"))
    context.turns = Turns(1, 5)
    endless = DecodeRequest(
        LETTERS, "hola amigo", DecodingOptions("exact", node_budget=100_000, max_length=40, min_length=30)
    )
    watch = Watch(seconds=math.inf)

    def search() -> None:
        with owned_by("ana"), suppress(RequestError):  # stopped before it found anything
            context.decode(endless, watch)

    long = Thread(target=search)
    long.start()
    wait(lambda: watch.steps > 0)
    with owned_by("ben"):
        assert context.decode(DecodeRequest(LETTERS, "hola")).hypotheses
    assert long.is_alive()
    watch.cancelled.set()
    long.join()
    assert not long.is_alive()
