"""Asynchronous iterators, read step by step by a test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Generator
from typing import TypeVar

Value = TypeVar("Value")


def stepwise(values: AsyncGenerator[Value, None]) -> Generator[Value, None, None]:
    """Yield the values; closing this iterator closes theirs."""
    loop = asyncio.new_event_loop()
    try:
        while True:
            try:
                yield loop.run_until_complete(anext(values))
            except StopAsyncIteration:
                return
    finally:
        loop.run_until_complete(values.aclose())
        loop.close()
