"""A visitor beside greedy clients: the waiting time of easy decodings and the memory of the server.

All requests come from this machine; `X-Forwarded-For` simulates addresses: a server trusts a local proxy.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import httpx

from tests.benchmarks.floods import CALL, EASY, Flood, Target, sent_from
from tests.benchmarks.serving import Server
from tests.benchmarks.usage import resident_megabytes
from tests.benchmarks.visitor import Page, Record, Visitor

TRIES = 8
LEAD, BETWEEN = 2.0, 1.0  # seconds before the first easy decoding, and between two of them
LIMIT_SECONDS = 60.0  # for one easy answer; a later one is an error
REST_SECONDS = 15.0  # after which memory must have been released
VISITOR = "198.51.100.1"
NAN = float("nan")
HEAD = f"{'flood':32}" + "".join(
    f"{head:>10}" for head in ("page s", "program s", "errors", "before MB", "peak MB", "after MB")
)


@dataclass
class FloodMeasurement:
    """The measurements during one flood."""

    name: str
    page: list[float] = field(default_factory=list)  # seconds of a page's easy decodings
    program: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    posts: dict[str, int] = field(default_factory=dict)  # requests of the flood by status, answers by outcome
    before: float = NAN  # megabytes of the server
    peak: float = NAN
    after: float = NAN  # REST_SECONDS after the end of the flood

    def figures(self) -> dict[str, Any]:
        """Return the measurements by name, for JSON."""
        return {
            "page_max_s": max(self.page, default=NAN),
            "program_max_s": max(self.program, default=NAN),
            "errors": len(self.errors),
            "server_mb": [round(value) for value in (self.before, self.peak, self.after)],
            "posts": self.posts,
        }

    def line(self) -> str:
        """Return a line of the table below HEAD."""
        seconds = (max(value, default=NAN) for value in (self.page, self.program))
        cells = "".join(f"{value:10.2f}" for value in seconds) + f"{len(self.errors):10}"
        cells += "".join(f"{value:10.0f}" for value in (self.before, self.peak, self.after))
        return f"{self.name:32}{cells}  {' '.join(f'{name}:{count}' for name, count in self.posts.items())}"


async def flooded(
    server: Server,
    name: str,
    flood: Flood,
    tries: int = TRIES,
    rest: float = REST_SECONDS,
    minutes: float | None = None,
) -> FloodMeasurement:
    """Run a flood during `tries` easy decodings of a page and of a program, or for `minutes`; then rest."""
    beside = FloodMeasurement(name)
    limits = httpx.Limits(max_connections=None)
    connect = partial(httpx.AsyncClient, base_url=server.url, timeout=LIMIT_SECONDS)
    # One client each: in the pool of the flood's client, a request waits for seconds before it is sent.
    async with connect(limits=limits) as http, connect() as program:
        config = (await http.get("config")).json()
        target, page = Target(http, config), Page.read(config)
        origin = {"origin": server.url.rstrip("/")} | sent_from(VISITOR)
        async with connect(headers=origin) as browser:
            await _program(program, FloodMeasurement("the checkpoint is in memory"))
            beside.before = beside.peak = resident_megabytes(server.pid)
            async with _peak(server, beside):
                pouring = asyncio.ensure_future(flood(target))
                await asyncio.sleep(LEAD)
                ends, number = time.monotonic() + 60 * (minutes or 0), 0
                while number < tries if minutes is None else time.monotonic() < ends:
                    await _page(browser, page, number, beside)
                    await _program(program, beside)
                    await asyncio.sleep(BETWEEN)
                    number += 1
                pouring.cancel()
                (ended,) = await asyncio.gather(pouring, return_exceptions=True)
                if not isinstance(ended, asyncio.CancelledError):
                    beside.errors.append(f"the flood ended: {ended!r}")
        await asyncio.sleep(rest)
        beside.after = resident_megabytes(server.pid)
    beside.posts = {str(status): count for status, count in sorted(target.posts.items())} | target.answers
    return beside


async def _program(http: httpx.AsyncClient, beside: FloodMeasurement) -> None:
    async def ask() -> str:
        headers = sent_from(VISITOR)
        begun = await http.post(f"{CALL}v2/translate", json=EASY, headers=headers)
        if begun.status_code != 200:
            return f"{begun.status_code} {begun.text}"
        return (await http.get(f"{CALL}translate/{begun.json()['event_id']}", headers=headers)).text

    started = time.perf_counter()
    answer = await _within(ask())
    if "event: complete" in answer:
        beside.program.append(time.perf_counter() - started)
    else:
        beside.errors.append(f"{beside.name}, program: {answer[-300:]}")


async def _page(http: httpx.AsyncClient, page: Page, number: int, beside: FloodMeasurement) -> None:
    record = Record()
    visitor = Visitor(http, page, {EASY["checkpoint"]: [EASY["text"]]}, number, record)
    values = {"Checkpoint": EASY["checkpoint"], "Source text": EASY["text"], "Strategy": EASY["strategy"]}
    started = time.perf_counter()
    answer = await _within(visitor.decode(values))
    if answer and not record.errors:
        beside.page.append(time.perf_counter() - started)
    else:
        beside.errors.append(f"{beside.name}, page: {(record.errors or [answer])[0][-300:]}")


async def _within(asking: Awaitable[str]) -> str:
    try:
        return await asyncio.wait_for(asking, LIMIT_SECONDS)
    except (httpx.HTTPError, asyncio.TimeoutError) as error:
        return repr(error)


@asynccontextmanager
async def _peak(server: Server, beside: FloodMeasurement) -> AsyncIterator[None]:
    """Record the largest memory of the server while the block runs."""

    async def note() -> None:
        while True:
            beside.peak = max(beside.peak, resident_megabytes(server.pid))
            await asyncio.sleep(0.1)

    noting = asyncio.create_task(note())
    try:
        yield
    finally:
        noting.cancel()
