"""Previews of training data: cached by content, in turn over owners, few at once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from demo.training.handlers import order_of
from demo.training.work import data_previews
from demo.training.work.data_previews import DataPreviews
from demo.training.work.order import TrainingOrder
from demo.training.work.source import Prepared
from demo.work.context import AppContext
from demo.work.operator.caps import DATA
from demo.work.requests.caller import owned_by
from demo.work.requests.checks import RequestError
from demo.work.turns import Turns
from tests.fakes.training.form import DATA_NAMES, QUICK, form, training_context
from tests.refusals import refused
from tests.waiting import wait

PAIRS = "".join(f"eins {i}\tone {i}\n" for i in range(40))


@pytest.fixture(scope="module")
def context(shipped: Path, tmp_path_factory: pytest.TempPathFactory) -> AppContext:
    return training_context(shipped, tmp_path_factory.mktemp("runs"))


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[TrainingOrder]:
    """A list of the orders whose data were read or generated."""
    result: list[TrainingOrder] = []
    prepare = TrainingOrder.prepare

    def record(order: TrainingOrder, corrections: Any) -> Prepared:
        result.append(order)
        return prepare(order, corrections)

    monkeypatch.setattr(TrainingOrder, "prepare", record)
    return result


def order(context: AppContext, **changes: Any) -> TrainingOrder:
    return order_of(context, DATA_NAMES, form(**QUICK | {"kind": "file"} | changes))


def test_a_changed_setting_does_not_read_the_data_again(
    context: AppContext, read: list[TrainingOrder], tmp_path: Path
) -> None:
    first, again = tmp_path / "a" / "pairs.tsv", tmp_path / "b" / "pairs.tsv"
    for path in (first, again):
        path.parent.mkdir()
        path.write_text(PAIRS)
    previews = DataPreviews()

    def preview_of(path: Path, **changes: Any) -> Any:
        return previews.preview(Turns(), order(context, path=str(path), **changes), None, None)

    prepared, data_preview, workload = preview_of(first)
    # Uploaded once more, by anybody.
    assert preview_of(again, skip_malformed=True) == (prepared, data_preview, workload)
    assert preview_of(first, **{"tokenizer.kind": "word"})[1].vocab_size != data_preview.vocab_size
    assert len(read) == 1
    assert len(preview_of(first, share=0.5)[0].valid) > len(prepared.valid)
    first.write_text(PAIRS + "zwei\ttwo\n")
    assert preview_of(first)[1].statistics.pairs == data_preview.statistics.pairs + 1
    assert len(read) == 3


def test_cached_data_is_dropped_after_a_while(context: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_previews, "CACHE_SECONDS", 0.05)
    previews = DataPreviews()
    previews.preview(Turns(), order(context, kind="paste", text=PAIRS), None, None)
    wait(lambda: not len(previews._contents) + len(previews._previews))


def test_a_second_owners_preview_precedes_the_waiting_ones_of_the_first(
    context: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data_previews, "DATA", replace(DATA, running=1))
    previews, turns, order_of_owners = DataPreviews(), Turns(1), []
    blocked = previews._reading.turn(data_previews.Watch())
    blocked.__enter__()

    def preview_of(owner: str, number: int) -> None:
        with owned_by(owner):
            previews.preview(turns, order(context, kind="paste", text=f"{PAIRS}x\t{number}"), None, None)
        order_of_owners.append(owner)

    threads = [
        Thread(target=preview_of, args=args) for args in (*(("greedy", n) for n in range(4)), ("other", 9))
    ]
    for number, thread in enumerate(threads, 1):
        thread.start()
        wait(lambda number=number: len(previews._reading._waiting) == number)  # type: ignore[misc]
    blocked.__exit__(None, None, None)
    for thread in threads:
        thread.join()
    assert order_of_owners.index("other") <= 1


def test_a_server_that_ends_begins_no_preview(context: AppContext) -> None:
    previews = DataPreviews()
    previews.close()
    with refused(RequestError, "shutting_down"):
        previews.preview(Turns(), order(context, kind="paste", text=PAIRS), None, None)
    hub = replace(order(context), source=replace(order(context).source, kind="hub", repo="a", file="b.tsv"))
    with refused(RequestError, "shutting_down"):
        previews.preview(Turns(), hub, None, None)
