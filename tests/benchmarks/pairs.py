"""Runs in turn, so that a machine that slows down slows all sides alike, and what comes of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

Seconds = tuple[float, ...]  # of one round: ours first, then each peer's


def rounds(runs: Sequence[Callable[[], object]], count: int) -> list[Seconds]:
    """Seconds of each run in each round, after one round that does not count."""
    measured = [tuple(seconds(run) for run in runs) for _ in range(count + 1)]
    return measured[1:]


def seconds(run: Callable[[], object]) -> float:
    """How long one run takes."""
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def ratio(measured: Sequence[Seconds], peer: int) -> float:
    """Ours / theirs, the median over the rounds."""
    return median(times[0] / times[peer] for times in measured)


def row(what: str, measured: Sequence[Seconds], peer: int) -> dict[str, Any]:
    """A line of the table for people."""
    return {
        "what": what,
        "ours ms": 1000 * median(times[0] for times in measured),
        "theirs ms": 1000 * median(times[peer] for times in measured),
        "ratio": ratio(measured, peer),
    }
