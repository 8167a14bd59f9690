"""Several batches at once, on a machine with cores that one batch leaves idle."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from math import ceil

import torch

from models.device import batches_at_once, one_thread_each
from models.process_wide import WhileAny

OBJECTS_PER_COLLECTION = 50_000  # new objects after which Python looks for reference cycles, instead of 700
_one_at_a_time: ContextVar[bool] = ContextVar("one batch at a time", default=False)


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Let `side_by_side` work on one batch at a time, as a server of many visitors needs it."""
    token = _one_at_a_time.set(True)
    try:
        yield
    finally:
        _one_at_a_time.reset(token)


def _collect_rarely() -> Callable[[], None]:
    thresholds = gc.get_threshold()
    gc.set_threshold(max(thresholds[0], OBJECTS_PER_COLLECTION), *thresholds[1:])
    return partial(gc.set_threshold, *thresholds)


# A step makes thousands of small objects, none in a reference cycle, and frees them at its end. Python's
# garbage collector counts them as new objects and would often search all objects for cycles, which takes a
# tenth of a second each time.
rare_collections = WhileAny(_collect_rarely)


def even_batch_size(number: int, max_size: int, device: torch.device) -> int:
    """Return a batch size of at most `max_size` that spreads several batches evenly over the cores."""
    batches, workers = ceil(number / max_size), concurrent_batches(device)
    if batches > 1:
        batches = ceil(batches / workers) * workers
    return max(1, ceil(number / max(1, batches)))


def concurrent_batches(device: torch.device) -> int:
    """Return how many batches `side_by_side` works on at a time."""
    return 1 if _one_at_a_time.get() else batches_at_once(device)


def side_by_side(work: Callable[[int], None], items: Sequence[int], device: torch.device) -> None:
    """Call `work` with each item, in one thread for each batch that the device works on at a time.

    Raises the first error of `work` once the running calls have ended. `work` must be thread-safe.
    """
    workers = min(concurrent_batches(device), len(items))
    if workers < 2:
        for item in items:
            work(item)
        return
    with one_thread_each(), rare_collections, ThreadPoolExecutor(workers, thread_name_prefix="batch") as pool:
        list(pool.map(work, items))  # its first error cancels the calls that have not begun
