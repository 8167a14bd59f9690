"""A task in its own thread: its result, its failure, its language, and its end without a caller."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event

import pytest

from demo.i18n import in_language, language
from demo.work.running import Background


def test_a_background_task_is_polled_until_its_end() -> None:
    gate = Event()

    def task() -> str:
        gate.wait()
        return "done"

    with Background(task) as running:
        assert not running.is_done(0.01)
        gate.set()
        assert running.result() == "done"
        assert running.is_done(0)


def test_an_error_of_a_background_task_reaches_its_caller() -> None:
    def task() -> None:
        raise KeyError("lost")

    with Background(task) as running, pytest.raises(KeyError, match="lost"):
        running.result()


def test_a_background_task_has_the_language_of_its_request() -> None:
    with in_language("es"), Background(language) as running:
        assert running.result() == "es"


@pytest.mark.parametrize("leaves_early", [True, False])
def test_a_background_task_is_stopped_only_if_its_caller_leaves(leaves_early: bool) -> None:
    stopped, gate, ended = Event(), Event(), Event()

    def task() -> None:
        gate.wait()
        ended.set()

    def handler() -> Iterator[str]:
        with Background(task, stopped.set) as running:
            while not running.is_done(0.01):
                yield "waiting"
            yield "done"

    answers = handler()
    assert next(answers) == "waiting"
    if leaves_early:
        answers.close()  # returns although the task goes on
        assert stopped.is_set()
        assert not ended.is_set()
    gate.set()
    if not leaves_early:
        assert [text for text in answers if text != "waiting"] == ["done"]
        assert not stopped.is_set()
    ended.wait()
