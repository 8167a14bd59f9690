"""Many visitors at once: their waiting times, their errors, and the growth of the server's memory.

`python -m tests.benchmarks load --clients 30 --seconds 180` simulates all visitors in one process. Then
greedy clients flood other servers, see `tests.benchmarks.floods`; `--clients 0 --floods evaluate` runs only
these floods.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import httpx

from models.registry.registry import Registry
from tests.benchmarks.flood import HEAD, REST_SECONDS, TRIES, FloodMeasurement, flooded
from tests.benchmarks.floods import FLOODS, Flood, selection
from tests.benchmarks.serving import Server, serving
from tests.benchmarks.usage import cpu_seconds, own_cpu_seconds, resident_megabytes
from tests.benchmarks.visitor import Page, Record, Visitor
from tests.browser.conftest import ROOT

CLIENTS, SECONDS = 30, 180.0
LIMIT_SECONDS = 60.0  # for one answer; a later one is an error


@dataclass(frozen=True)
class Load:
    """The measurements of one load."""

    record: Record
    megabytes: tuple[float, ...]  # memory of the server: warm, after a third, two thirds, at the end
    server_cpu: float  # cores in use
    client_cpu: float


def main(arguments: Sequence[str]) -> None:
    """Run the load and the floods; print a table and one JSON object."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks load", description=__doc__)
    parser.add_argument("--clients", type=int, default=CLIENTS)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--floods", type=selection, default=FLOODS, help=f"some of {', '.join(FLOODS)}")
    parser.add_argument("--tries", type=int, default=TRIES, help="easy decodings beside each flood")
    parser.add_argument("--minutes", type=float, help="of each flood, in place of --tries; 10 for a soak")
    parser.add_argument("--rest", type=float, default=REST_SECONDS, help="seconds of rest after each")
    options = parser.parse_args(arguments)
    figures, errors = _visited(options.clients, options.seconds) if options.clients else ({}, [])
    for name, value in figures.items():
        print(f"{name:20} {value:,.2f}" if isinstance(value, float) else f"{name:20} {value}", flush=True)
    print(HEAD, flush=True)
    for name, flood in options.floods.items():
        beside = _measured_flood(name, flood, options.tries, options.rest, options.minutes)
        print(beside.line(), flush=True)
        errors += beside.errors
        figures[name] = beside.figures()
    for error in errors[:5]:
        print("error:", error)
    print(json.dumps(_rounded(figures)))


@contextmanager
def _served() -> Iterator[Server]:
    """Serve the app with temporary folders."""
    with tempfile.TemporaryDirectory() as folder:
        folders = {"UNROLLED_RUNS": f"{folder}/runs", "GRADIO_TEMP_DIR": f"{folder}/files"}
        with serving("app.py", **folders) as server:
            yield server


def _visited(clients: int, seconds: float) -> tuple[dict[str, Any], list[str]]:
    with _served() as server:
        load = asyncio.run(measure(server, clients, seconds))
    record = load.record
    figures = {
        "clients": clients,
        "seconds": seconds,
        "clicks": len(record.seconds),
        "errors": len(record.errors),
        "told_to_wait": record.waited,
        **_percentiles("all", record.seconds),
        **_percentiles("beam4", record.beam_seconds),
        "answer_kb_median": median(record.bytes) / 1000,
        "server_mb": [round(value) for value in load.megabytes],
        "server_cores": load.server_cpu,
        "client_cores": load.client_cpu,
    }
    return figures, record.errors


def _measured_flood(
    name: str, flood: Flood, tries: int, rest: float, minutes: float | None
) -> FloodMeasurement:
    with _served() as server:
        return asyncio.run(flooded(server, name, flood, tries, rest, minutes))


def _rounded(value: Any) -> Any:
    """Round floats to three digits and replace NaN, which JSON lacks, by None."""
    if isinstance(value, dict):
        return {name: _rounded(item) for name, item in value.items()}
    if isinstance(value, float):
        return round(value, 3) if math.isfinite(value) else None
    return value


async def measure(
    server: Server, clients: int, seconds: float, examples: dict[str, list[str]] | None = None
) -> Load:
    """Let that many visitors click for that long, after every checkpoint has been used once."""
    examples = examples or shipped_examples()
    record, warming = Record(), Record()
    limits = httpx.Limits(max_connections=4 * clients + 8, max_keepalive_connections=2 * clients + 8)
    origin = {"origin": server.url.rstrip("/")}  # as browsers send it
    options = {"timeout": LIMIT_SECONDS, "limits": limits, "headers": origin}
    async with httpx.AsyncClient(base_url=server.url, **options) as http:
        page = Page.read((await http.get("config")).json())
        for seed, (name, texts) in enumerate(examples.items()):
            await Visitor(http, page, {name: texts}, seed, warming).click()
        record.errors += warming.errors
        began, server_before, client_before = time.monotonic(), cpu_seconds(server.pid), own_cpu_seconds()
        megabytes = [resident_megabytes(server.pid)]
        ends = began + seconds
        visitors = [
            asyncio.create_task(_visit(Visitor(http, page, examples, 1000 + number, record), ends))
            for number in range(clients)
        ]
        for part in (1, 2, 3):
            await asyncio.sleep(began + part * seconds / 3 - time.monotonic())
            megabytes.append(resident_megabytes(server.pid))
        took = time.monotonic() - began
        cpu = (cpu_seconds(server.pid) - server_before) / took, (own_cpu_seconds() - client_before) / took
        await asyncio.gather(*visitors)
    return Load(record, tuple(megabytes), *cpu)


def shipped_examples() -> dict[str, list[str]]:
    """Return the texts that the page offers, by checkpoint."""
    registry = Registry(Path(ROOT) / "checkpoints")
    return {name: list(registry.config(name).examples) for name in registry.names()}


async def _visit(visitor: Visitor, ends: float) -> None:
    seconds_left = ends - time.monotonic()
    await asyncio.sleep(min(visitor.thinking(), seconds_left))  # visitors do not all arrive at once
    await visitor.open_page()
    while True:  # at least once, however slow the machine
        await visitor.click()
        pause = visitor.thinking()
        if time.monotonic() + pause > ends:  # no last click at the end, which all would make at once
            return
        await asyncio.sleep(pause)


def _percentiles(name: str, seconds: Sequence[float]) -> dict[str, float]:
    cuts = quantiles(seconds, n=100) if len(seconds) > 1 else [float("nan")] * 99
    worst = max(seconds, default=float("nan"))
    return {f"{name}_p50_s": cuts[49], f"{name}_p95_s": cuts[94], f"{name}_max_s": worst}
