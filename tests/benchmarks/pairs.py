"""Timed runs of several sides in turn, so that a machine that slows down affects all of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

Seconds = tuple[float, ...]  # seconds of one round: ours first, then each peer's


def rounds(runs: Sequence[Callable[[], object]], count: int) -> list[Seconds]:
    """Return the seconds of each run in each round, after one round that does not count."""
    times = [tuple(seconds(run) for run in runs) for _ in range(count + 1)]
    return times[1:]


def seconds(run: Callable[[], object]) -> float:
    """Return the seconds of one run."""
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def ratio(timings: Sequence[Seconds], peer: int) -> float:
    """Return the ratio ours / theirs, the median over the rounds."""
    return median(times[0] / times[peer] for times in timings)


def row(what: str, timings: Sequence[Seconds], peer: int) -> dict[str, Any]:
    """Return a row of the table."""
    return {
        "what": what,
        "ours ms": 1000 * median(times[0] for times in timings),
        "theirs ms": 1000 * median(times[peer] for times in timings),
        "ratio": ratio(timings, peer),
    }
