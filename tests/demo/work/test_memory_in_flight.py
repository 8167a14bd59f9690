"""The memory of all decodings that have begun: it is bounded, and the others wait for their first turn."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

import pytest

from demo.work import turns as turns_module
from demo.work.context import AppContext
from demo.work.operator.caps import MAX_CHARACTERS, allowed_settings
from demo.work.requests.caller import owned_by
from demo.work.requests.decode import DecodeRequest, decoding_bytes, decoding_options
from demo.work.turns import MAX_LARGE_BYTES, MAX_SMALL_BYTES, Turns
from demo.work.watch import Watch
from models.decoding import strategies
from tests.demo.conftest import LETTERS
from tests.waiting import wait

ADDRESSES = 10


class Decoding:
    """A decoding of one address, which begins as soon as it may and pauses until `end`."""

    def __init__(self, turns: Turns, address: str, size: int) -> None:
        self.watch, self.began, self._end = Watch(), Event(), Event()
        self._thread = Thread(target=self._run, args=(turns, address, size), daemon=True)
        self._thread.start()

    def _run(self, turns: Turns, address: str, size: int) -> None:
        with owned_by(address), turns.turn(self.watch, 0.0, size):
            self.began.set()
            while not self._end.wait(0.01):
                self.watch.let_others_run()

    def end(self) -> None:
        self._end.set()
        self._thread.join()

    @property
    def waits(self) -> bool:
        return self.watch.decodings_ahead > 0


@contextmanager
def decodings(turns: Turns, sizes: list[int]) -> Iterator[list[Decoding]]:
    """One decoding of each size, in this order, each of another address."""
    begun = []
    try:
        for number, size in enumerate(sizes):
            begun.append(Decoding(turns, f"address {number}", size))
            wait(lambda last=begun[-1]: last.began.is_set() or last.waits)  # type: ignore[misc]
        yield begun
    finally:
        for decoding in begun:
            decoding.end()


def test_large_decodings_of_ten_addresses_wait_for_memory_and_all_are_answered() -> None:
    size = MAX_LARGE_BYTES * 2 // 5
    turns = Turns(2, 32)
    with decodings(turns, [size] * ADDRESSES) as all_of_them:
        for number, decoding in enumerate(all_of_them):
            wait(decoding.began.is_set)
            assert sum(other.began.is_set() for other in all_of_them[number:]) <= 2
            decoding.end()


def test_small_decodings_wait_for_no_memory() -> None:
    with decodings(Turns(1, 64), [MAX_LARGE_BYTES, *[MAX_LARGE_BYTES] * 3, *[MAX_SMALL_BYTES] * 9]) as begun:
        for decoding in begun[4:]:
            wait(decoding.began.is_set)
        assert [decoding.began.is_set() for decoding in begun[:4]] == [True, False, False, False]


def test_a_decoding_larger_than_all_memory_runs_alone() -> None:
    with decodings(Turns(2, 8), [2 * MAX_LARGE_BYTES, MAX_LARGE_BYTES // 2]) as (largest, other):
        wait(largest.began.is_set)
        assert not other.began.is_set()
        largest.end()
        wait(other.began.is_set)


def test_smaller_ones_do_not_overtake_a_large_one_for_ever() -> None:
    with decodings(Turns(2, 8), [MAX_LARGE_BYTES // 2, MAX_LARGE_BYTES, MAX_LARGE_BYTES // 4]) as begun:
        assert [decoding.began.is_set() for decoding in begun] == [True, False, False]
        begun[0].end()
        wait(begun[1].began.is_set)


@pytest.mark.slow
def test_memory_is_returned_when_the_last_of_several_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    resident, returned = [100 << 20], list[int]()
    monkeypatch.setattr(turns_module, "resident_bytes", lambda: resident[0])
    monkeypatch.setattr(turns_module, "return_freed_memory", lambda: returned.append(resident[0]))
    monkeypatch.setattr(turns_module, "SETTLE_SECONDS", 0)
    turns = Turns(2, 8)
    with decodings(turns, [0, 0]) as (first, last):
        resident[0] = 900 << 20  # which both use, so that nothing of it can be returned
        first.end()
        wait(lambda: len(returned) == 1 and turns._timer is None)
        last.end()
        wait(lambda: len(returned) == 2)


@pytest.mark.parametrize("strategy", strategies.names())
def test_the_largest_search_of_every_strategy_counts(context: AppContext, strategy: str) -> None:
    largest = {
        name: setting.high
        for name, setting in allowed_settings().items()
        if name in ("beam_size", "num_samples", "max_length")
    }
    settings = decoding_options({"strategy": strategy, **largest})
    checkpoint = context.checkpoint(LETTERS)
    size = decoding_bytes(checkpoint, DecodeRequest(LETTERS, "a" * MAX_CHARACTERS, settings))
    easy = decoding_bytes(
        checkpoint, DecodeRequest(LETTERS, "hola", decoding_options({"strategy": "greedy"}))
    )
    assert easy < MAX_SMALL_BYTES
    assert size > MAX_SMALL_BYTES or strategy in ("greedy", "exhaustive")
