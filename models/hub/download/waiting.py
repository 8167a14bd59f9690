"""A time limit for work that may hang."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def within(seconds: float, work: Callable[[], T]) -> T:
    """Return the result of `work`, or raise its exception. Raises TimeoutError when time is up.

    `work` goes on after that, since it runs in a thread: huggingface_hub has no time limit for some requests,
    and tries others again for minutes.
    """
    results: queue.SimpleQueue[tuple[T | None, Exception | None]] = queue.SimpleQueue()

    def run() -> None:
        try:
            results.put((work(), None))
        except Exception as error:
            results.put((None, error))

    threading.Thread(target=run, name="a request to the Hub", daemon=True).start()
    try:
        result, error = results.get(timeout=seconds)
    except queue.Empty:
        raise TimeoutError(f"no answer within {seconds:g} s") from None
    if error is not None:
        raise error
    return result  # type: ignore[return-value]  # None only where work returns it
