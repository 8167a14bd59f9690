"""Parallel batches: each is done once by one thread, and failures are raised."""

from __future__ import annotations

import gc
import threading

import pytest
import torch

from models.decoding.search.parallel import (
    OBJECTS_PER_COLLECTION,
    even_batch_size,
    one_at_a_time,
    rare_collections,
    side_by_side,
)
from models.device import batches_at_once, one_thread_each
from tests.waiting import PATIENCE

CPU = torch.device("cpu")


def test_each_item_is_worked_on_once() -> None:
    done: list[int] = []
    side_by_side(done.append, range(50), CPU)
    assert sorted(done) == list(range(50))


def test_several_items_are_worked_on_at_once_by_one_thread_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("models.decoding.search.parallel.batches_at_once", lambda device: 3)
    together = threading.Barrier(3, timeout=PATIENCE)
    threads = set()

    def work(item: int) -> None:
        together.wait()  # no thread goes on before all three are here
        threads.add((threading.current_thread().name, torch.get_num_threads()))

    side_by_side(work, range(3), CPU)
    assert len(threads) == 3
    assert {count for _, count in threads} == {1}


@pytest.mark.parametrize(
    ("number", "share"), [(0, 1), (1, 1), (10, 10), (11, 4), (30, 10), (31, 6), (60, 10), (61, 7)]
)
def test_texts_are_split_evenly_over_all_cores(
    number: int, share: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("models.decoding.search.parallel.batches_at_once", lambda device: 3)
    assert even_batch_size(number, 10, CPU) == share
    with one_at_a_time():
        assert even_batch_size(number, 10, CPU) >= share


def test_a_failure_is_raised_and_waiting_items_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("models.decoding.search.parallel.batches_at_once", lambda device: 2)
    started: list[int] = []

    def work(item: int) -> None:
        started.append(item)
        if item == 0:
            raise ValueError("first")
        threading.Event().wait(0.05)

    with pytest.raises(ValueError, match="first"):
        side_by_side(work, range(200), CPU)
    assert len(started) < 200


def test_the_number_of_threads_is_restored() -> None:
    before = torch.get_num_threads()
    with one_thread_each():
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == before


def test_garbage_is_collected_rarely_until_the_last_block_ends() -> None:
    before = gc.get_threshold()
    with rare_collections:
        with rare_collections:
            assert gc.get_threshold()[0] == max(OBJECTS_PER_COLLECTION, before[0])
        assert gc.get_threshold()[0] == max(OBJECTS_PER_COLLECTION, before[0])
    assert gc.get_threshold() == before


def test_an_accelerator_processes_one_batch_at_a_time() -> None:
    assert batches_at_once(torch.device("meta")) == 1
    assert batches_at_once(CPU) >= 1
