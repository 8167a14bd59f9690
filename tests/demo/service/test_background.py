"""A task in a thread of its own: its result, its failure, its language, and what becomes of it alone."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event

import pytest

from demo.i18n import language, spoken
from demo.service.background import Background


def test_it_is_polled_until_it_is_done() -> None:
    gate = Event()

    def task() -> str:
        gate.wait()
        return "done"

    with Background(task) as running:
        assert not running.is_done(0.01)
        gate.set()
        assert running.result() == "done"
        assert running.is_done(0)


def test_what_it_raises_reaches_whoever_asks_for_the_result() -> None:
    def task() -> None:
        raise KeyError("lost")

    with Background(task) as running, pytest.raises(KeyError, match="lost"):
        running.result()


def test_it_speaks_the_language_of_the_request_that_began_it() -> None:
    with spoken("es"), Background(language) as running:
        assert running.result() == "es"


@pytest.mark.parametrize("leaves_early", [True, False])
def test_it_is_asked_to_stop_when_whoever_waited_has_gone_and_not_otherwise(leaves_early: bool) -> None:
    stopped, gate, ended = Event(), Event(), Event()

    def task() -> None:
        gate.wait()
        ended.set()

    def handler() -> Iterator[str]:
        with Background(task, stopped.set) as running:
            while not running.is_done(0.01):
                yield "waiting"
            yield "done"

    said = handler()
    assert next(said) == "waiting"
    if leaves_early:
        said.close()  # returns although the task goes on
        assert stopped.is_set()
        assert not ended.is_set()
    gate.set()
    if not leaves_early:
        assert [text for text in said if text != "waiting"] == ["done"]
        assert not stopped.is_set()
    assert ended.wait(60)
