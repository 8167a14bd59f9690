"""Threads for what the page asks of its own functions: as many as may wait at once, and some beside."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import TypeVar

from demo.operator.caps import MAX_HANDLERS

QUICK = 24  # beside those that wait for their turn
Result = TypeVar("Result")

_pool = ThreadPoolExecutor(MAX_HANDLERS + QUICK, thread_name_prefix="asked")


async def in_thread(function: Callable[..., Result], *arguments: object) -> Result:
    """`function(*arguments)` in a thread of its own, with this call's context.

    `asyncio.to_thread` has six threads on two cores: six questions that wait for their turn would hold up
    whatever else everybody asks.
    """
    call = partial(copy_context().run, function, *arguments)
    return await asyncio.get_running_loop().run_in_executor(_pool, call)
