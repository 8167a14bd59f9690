"""A time limit for work that may hang."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from typing import TypeVar

T = TypeVar("T")


def within(seconds: float, work: Callable[[], T]) -> T:
    """Return the result of `work`, or raise its exception. Raises TimeoutError when time is up.

    `work` goes on after that, since it runs in a thread: huggingface_hub has no time limit for some requests,
    and tries others again for minutes.
    """
    result: Future[T] = Future()

    def run() -> None:
        try:
            result.set_result(work())
        except Exception as error:
            result.set_exception(error)

    threading.Thread(target=run, name="a request to the Hub", daemon=True).start()
    try:
        return result.result(timeout=seconds)
    except FutureTimeoutError:  # another class than TimeoutError until Python 3.11
        raise TimeoutError(f"no answer within {seconds:g} s") from None
