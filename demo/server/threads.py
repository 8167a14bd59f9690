"""Threads for requests of the page's scripts: as many as may wait at once, and some more."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import TypeVar

from demo.work.operator.caps import MAX_HANDLERS

QUICK_THREADS = 24  # threads beside those that wait for their turn
Result = TypeVar("Result")

_pool = ThreadPoolExecutor(MAX_HANDLERS + QUICK_THREADS, thread_name_prefix="asked")


async def in_thread(function: Callable[..., Result], *arguments: object) -> Result:
    """Run `function(*arguments)` in a thread, with the context of this call.

    `asyncio.to_thread` has six threads on two cores, so six waiting requests would block all others.
    """
    call = partial(copy_context().run, function, *arguments)
    return await asyncio.get_running_loop().run_in_executor(_pool, call)
