"""Several batches at once, where a machine has cores that one batch leaves idle."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar

import torch

from models.device import batches_at_once, one_thread_each

_alone: ContextVar[bool] = ContextVar("alone", default=False)


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """While the block runs, `side_by_side` leaves the other cores to others: on a server of many visitors."""
    token = _alone.set(True)
    try:
        yield
    finally:
        _alone.reset(token)


def side_by_side(work: Callable[[int], None], items: Sequence[int], device: torch.device) -> None:
    """Call `work` with each item, as many at a time as the device gains from.

    The first failure is raised, once the work under way has ended; work must not share what it changes.
    """
    workers = 1 if _alone.get() else min(batches_at_once(device), len(items))
    if workers < 2:
        for item in items:
            work(item)
        return
    with one_thread_each(), ThreadPoolExecutor(workers, thread_name_prefix="batch") as pool:
        waiting = [pool.submit(work, item) for item in items]
        try:
            for done in waiting:
                done.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
