"""A visitor beside greedy clients: how long easy decodings of a page and a program wait, and how much memory.

Everything on loopback; `X-Forwarded-For` stands for the addresses: a server believes a proxy of its machine.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.benchmarks.floods import CALL, EASY, Flood, Target, sent_from
from tests.benchmarks.serving import Server
from tests.benchmarks.usage import resident_megabytes
from tests.benchmarks.visitor import Page, Record, Visitor

TRIES = 8
LEAD, BETWEEN = 2.0, 1.0  # seconds that the flood has to itself, and between two easy decodings
LIMIT_SECONDS = 60.0  # for one easy answer; beyond it is an error
REST_SECONDS = 15.0  # after which memory must have come back
VISITOR = "198.51.100.1"
NAN = float("nan")
HEAD = f"{'flood':32}" + "".join(
    f"{head:>10}" for head in ("page s", "program s", "errors", "before MB", "peak MB", "after MB")
)


@dataclass
class Beside:
    """What was measured beside one flood."""

    name: str
    page: list[float] = field(default_factory=list)  # seconds of a page's easy decodings
    program: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    posts: dict[str, int] = field(default_factory=dict)  # of the flood, by status; its answers, by their end
    before: float = NAN  # megabytes of the server
    peak: float = NAN
    after: float = NAN  # REST_SECONDS after the end of the flood

    def figures(self) -> dict[str, Any]:
        """For JSON, by name."""
        return {
            "page_max_s": max(self.page, default=NAN),
            "program_max_s": max(self.program, default=NAN),
            "errors": len(self.errors),
            "server_mb": [round(value) for value in (self.before, self.peak, self.after)],
            "posts": self.posts,
        }

    def line(self) -> str:
        """For people, below HEAD."""
        seconds = (max(each, default=NAN) for each in (self.page, self.program))
        cells = "".join(f"{each:10.2f}" for each in seconds) + f"{len(self.errors):10}"
        cells += "".join(f"{each:10.0f}" for each in (self.before, self.peak, self.after))
        return f"{self.name:32}{cells}  {' '.join(f'{name}:{count}' for name, count in self.posts.items())}"


async def flooded(
    server: Server, name: str, flood: Flood, tries: int = TRIES, rest: float = REST_SECONDS
) -> Beside:
    """Let the flood run beside so many easy decodings of a page and of a program, then rest."""
    beside = Beside(name)
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=server.url, timeout=LIMIT_SECONDS, limits=limits) as http:
        config = (await http.get("config")).json()
        target, page = Target(http, config), Page.read(config)
        origin = {"origin": server.url.rstrip("/")} | sent_from(VISITOR)
        async with httpx.AsyncClient(base_url=server.url, timeout=LIMIT_SECONDS, headers=origin) as browser:
            await _program(http, Beside("the checkpoint is in memory"))
            beside.before = beside.peak = resident_megabytes(server.pid)
            async with _peak(server, beside):
                pouring = asyncio.ensure_future(flood(target))
                await asyncio.sleep(LEAD)
                for number in range(tries):
                    await _page(browser, page, number, beside)
                    await _program(http, beside)
                    await asyncio.sleep(BETWEEN)
                pouring.cancel()
                (ended,) = await asyncio.gather(pouring, return_exceptions=True)
                if not isinstance(ended, asyncio.CancelledError):
                    beside.errors.append(f"the flood ended: {ended!r}")
        await asyncio.sleep(rest)
        beside.after = resident_megabytes(server.pid)
    beside.posts = {str(status): count for status, count in sorted(target.posts.items())} | target.answers
    return beside


async def _program(http: httpx.AsyncClient, beside: Beside) -> None:
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


async def _page(http: httpx.AsyncClient, page: Page, number: int, beside: Beside) -> None:
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
async def _peak(server: Server, beside: Beside) -> AsyncIterator[None]:
    """While the block runs the largest memory of the server is noted."""

    async def note() -> None:
        while True:
            beside.peak = max(beside.peak, resident_megabytes(server.pid))
            await asyncio.sleep(0.1)

    noting = asyncio.create_task(note())
    try:
        yield
    finally:
        noting.cancel()
