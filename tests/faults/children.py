"""Forked processes that write until they are killed or their disk is full."""

from __future__ import annotations

import os
import signal
import time
import traceback
from collections.abc import Callable

import pytest

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
FAILED = 1  # exit status of a child with an unexpected error


def killed_while(task: Callable[[], object], seconds: float) -> None:
    """Repeat a task in a child process, which is killed after `seconds`."""

    def forever() -> None:
        while True:
            task()

    child = _forked(forever)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    assert os.WIFSIGNALED(os.waitpid(child, 0)[1]), "the task failed by itself"


def on_a_small_disk(task: Callable[[], object], size: int, refusal: type[Exception]) -> None:
    """Do a task once in a child whose files have at most `size` bytes; only `refusal` may be raised."""
    import resource

    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        try:
            task()
        except refusal:
            return

    assert os.waitstatus_to_exitcode(os.waitpid(_forked(limited), 0)[1]) == 0


def at_once(*tasks: Callable[[], object]) -> None:
    """Do each task once in its own child process, all at the same time."""
    children = [_forked(task) for task in tasks]
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0] * len(children)


def _forked(task: Callable[[], object]) -> int:
    child = os.fork()
    if child:
        return child
    status = FAILED
    try:
        task()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)  # without the cleanup of the parent
