"""One greedy program, or five, beside a visitor with an easy question: how long that one waits.

Everything on loopback; `X-Forwarded-For` stands for the addresses: a server believes a proxy of its machine.
Also the memory of the server before, at its peak, and when it has rested.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from statistics import median

import httpx

from tests.benchmarks.serving import Server
from tests.benchmarks.usage import cpu_seconds, resident_megabytes

SEARCHES, TRIES = 50, 8
LEAD, BETWEEN = 2.0, 1.0  # seconds that the flood has to itself, and between two easy questions
LIMIT_SECONDS = 60.0  # for one easy answer; beyond it is an error
DRAIN_SECONDS = 120.0  # at most, until what still runs after the flood has ended
IDLE_CORES, IDLE_SECONDS = 0.1, 1.0  # a server that uses less than that for so long decodes nothing
REST_SECONDS = 15.0  # after which memory must have come back
EASY = {"checkpoint": "spa-eng-gru", "text": "Tengo hambre.", "strategy": "greedy"}
GREEDY = {**EASY, "strategy": "exact", "max_length": 40, "min_length": 30, "node_budget": 100_000}
VISITOR = "198.51.100.1"
CALL = "gradio_api/call/"


@dataclass
class Flood:
    """What was measured beside one flood."""

    addresses: int
    seconds: list[float] = field(default_factory=list)  # of the easy calls
    errors: list[str] = field(default_factory=list)  # of the easy calls
    refused: int = 0  # greedy calls that were answered by a sentence
    before: float = float("nan")  # megabytes of the server
    peak: float = float("nan")
    after: float = float("nan")  # at rest for REST_SECONDS
    drained: float = float("nan")  # seconds that the server went on after the flood

    def figures(self) -> dict[str, object]:
        """For the table, by name."""
        name = f"flood{self.addresses}"
        return {
            f"{name}_easy_p50_s": median(self.seconds or [float("nan")]),
            f"{name}_easy_max_s": max(self.seconds, default=float("nan")),
            f"{name}_easy_errors": len(self.errors),
            f"{name}_refused": self.refused,
            f"{name}_drained_s": self.drained,
            f"{name}_server_mb": [round(value) for value in (self.before, self.peak, self.after)],
        }


async def flooded(
    server: Server, addresses: int, searches: int = SEARCHES, tries: int = TRIES, rest: float = REST_SECONDS
) -> Flood:
    """Send so many exact searches, fetched by nobody else than their program, and easy calls beside them."""
    flood = Flood(addresses)
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=server.url, timeout=LIMIT_SECONDS, limits=limits) as http:
        await ask(http, EASY, VISITOR)  # the checkpoint is in memory
        flood.before = flood.peak = resident_megabytes(server.pid)
        async with _peak(server, flood):
            greedy = [
                asyncio.create_task(_greedy(http, f"203.0.113.{1 + number % addresses}", flood))
                for number in range(searches)
            ]
            await asyncio.sleep(LEAD)
            for _ in range(tries):
                await _easy(http, flood)
                await asyncio.sleep(BETWEEN)
            for task in greedy:
                task.cancel()
            await asyncio.gather(*greedy, return_exceptions=True)
            flood.drained = await _drained(server)
        await asyncio.sleep(rest)
        flood.after = resident_megabytes(server.pid)
    return flood


async def ask(http: httpx.AsyncClient, values: dict[str, object], address: str) -> str:
    """The events that answer one call by program. Raises httpx.HTTPError."""
    headers = {"x-forwarded-for": address}
    begun = await http.post(f"{CALL}v2/translate", json=values, headers=headers)
    event = begun.raise_for_status().json()["event_id"]
    return (await http.get(f"{CALL}translate/{event}", headers=headers, timeout=None)).text


async def _easy(http: httpx.AsyncClient, flood: Flood) -> None:
    started = time.perf_counter()
    try:
        answer = await asyncio.wait_for(ask(http, EASY, VISITOR), LIMIT_SECONDS)
    except (httpx.HTTPError, asyncio.TimeoutError) as error:
        answer = repr(error)
    if "event: complete" in answer:
        flood.seconds.append(time.perf_counter() - started)
    else:
        flood.errors.append(answer[-300:])


async def _greedy(http: httpx.AsyncClient, address: str, flood: Flood) -> None:
    try:
        answer = await ask(http, GREEDY, address)
    except httpx.HTTPError:
        answer = ""
    flood.refused += "event: complete" not in answer


@asynccontextmanager
async def _peak(server: Server, flood: Flood) -> AsyncIterator[None]:
    """While the block runs the largest memory of the server is noted."""

    async def note() -> None:
        while True:
            flood.peak = max(flood.peak, resident_megabytes(server.pid))
            await asyncio.sleep(0.1)

    noting = asyncio.create_task(note())
    try:
        yield
    finally:
        noting.cancel()


async def _drained(server: Server) -> float:
    """Seconds until the server decodes nothing any more, or DRAIN_SECONDS."""
    began = time.monotonic()
    while time.monotonic() - began < DRAIN_SECONDS:
        used, looked = cpu_seconds(server.pid), time.monotonic()
        await asyncio.sleep(IDLE_SECONDS)
        cores = (cpu_seconds(server.pid) - used) / (time.monotonic() - looked)
        if not cores >= IDLE_CORES:  # nor where the system tells nothing
            return looked - began
    return DRAIN_SECONDS


def failures(floods: Sequence[Flood]) -> list[str]:
    """What went wrong for the visitor."""
    return [error for flood in floods for error in flood.errors]
