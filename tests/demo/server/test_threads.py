"""Waiting requests leave threads to quick ones."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from threading import Barrier, Event

from demo.server.calls.begun_work import in_thread
from demo.work.operator.caps import MAX_HANDLERS
from tests.waiting import PATIENCE

WHO: ContextVar[str] = ContextVar("who", default="nobody")


def test_waiting_handlers_do_not_delay_a_quick_answer() -> None:
    until, all_wait = Event(), Barrier(MAX_HANDLERS + 1, timeout=PATIENCE)

    def wait() -> None:
        all_wait.wait()
        until.wait(PATIENCE)

    async def ask() -> str:
        waiting = [asyncio.create_task(in_thread(wait)) for _ in range(MAX_HANDLERS)]
        await in_thread(all_wait.wait)  # one more thread
        try:
            return await asyncio.wait_for(in_thread(str.upper, "quick"), PATIENCE)
        finally:
            until.set()
            await asyncio.gather(*waiting)

    assert asyncio.run(ask()) == "QUICK"


def test_a_thread_keeps_the_context_of_its_caller() -> None:
    async def ask() -> str:
        WHO.set("me")
        return await in_thread(WHO.get)

    assert asyncio.run(ask()) == "me"
