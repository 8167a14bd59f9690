"""A machine that lends its GPU like ZeroGPU: each call runs in a fork and is killed at its deadline.

`GPU` stands in for `spaces.GPU`; arguments and results are pickled. A call needs a claim that has not been
used before; `claims` holds the one of the visitor's request.
"""

from __future__ import annotations

import functools
import multiprocessing
import pickle
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from queue import Empty
from typing import Any

claims: ContextVar[object] = ContextVar("claims", default=None)
used: list[object] = []
granted: list[float] = []  # seconds granted to each call
refusals: list[Exception] = []  # raised by the next calls, first one first
FORK = multiprocessing.get_context("fork")
revocation = FORK.Event()  # set by a fork to end its time at once


class RefusalError(Exception):
    """Like the error that Gradio shows: a title and a message."""

    def __init__(self, title: str, message: str) -> None:
        super().__init__(message)
        self.title = title


def forget() -> None:
    """Clear all records."""
    for record in (used, granted, refusals):
        record.clear()
    revocation.clear()


def GPU(  # noqa: N802 - the name that spaces gives it
    task: Callable[..., Iterator[Any]] | None = None, *, duration: Any = 60
) -> Callable[..., Any]:
    """Decorate a generator; `duration` is a number of seconds or a function of the call's arguments."""
    if task is None:
        return functools.partial(GPU, duration=duration)

    @functools.wraps(task)
    def call(*values: Any) -> Iterator[Any]:
        if refusals:
            raise refusals.pop(0)
        claim = claims.get()
        if claim is None or claim in used:
            raise RefusalError("ZeroGPU client error", "Expired ZeroGPU proxy token")
        used.append(claim)
        granted.append(float(duration(*values) if callable(duration) else duration))
        yield from _in_a_fork(task, pickle.dumps(values), granted[-1])

    return call


def _in_a_fork(task: Callable[..., Iterator[Any]], values: bytes, seconds: float) -> Iterator[Any]:
    results = FORK.SimpleQueue()
    child = FORK.Process(target=_child, args=(task, values, results), daemon=True)
    child.start()
    until = time.monotonic() + seconds
    try:
        while True:
            kind, value = pickle.loads(_next_result(results, until))
            if kind == "end":
                return
            if kind == "error":  # spaces passes on only the name of an error
                raise RefusalError("ZeroGPU worker error", value)
            yield value
    except Empty:
        raise RefusalError("ZeroGPU worker error", "GPU task aborted") from None
    finally:
        child.kill()
        child.join()


def _next_result(results: Any, until: float) -> bytes:
    while results.empty():
        if revocation.is_set() or time.monotonic() > until:
            revocation.clear()
            raise Empty
        time.sleep(0.005)
    return results.get()


def _child(task: Callable[..., Iterator[Any]], values: bytes, results: Any) -> None:
    try:
        for value in task(*pickle.loads(values)):
            results.put(pickle.dumps(("value", value)))
        results.put(pickle.dumps(("end", None)))
    except BaseException as error:
        results.put(pickle.dumps(("error", type(error).__name__)))
