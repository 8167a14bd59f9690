"""Times to list all checkpoints and to load each of them from a warm disk."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Any

import torch

from demo.work.context import AppContext
from models.registry.registry import Registry
from tests.browser.conftest import ROOT

REPEATS, LOADS = 50, 5


def measure() -> tuple[list[dict[str, Any]], dict[str, float]]:
    """Return table rows and figures; the slowest load counts."""
    torch.set_num_threads(1)  # as the page decodes
    registry = Registry(ROOT / "checkpoints")
    registry.cards()  # imports modules and fills the disk cache
    names = registry.names()
    listing = median(_milliseconds(registry.cards) for _ in range(REPEATS))
    rows = [{"what": f"list {len(names)} checkpoints", "ours ms": listing}]
    loads = {name: _ready(registry, name) for name in names}
    rows += [{"what": f"ready: {name}", "ours ms": duration} for name, duration in loads.items()]
    return rows, {"list_checkpoints_ms": listing, "slowest_load_ms": max(loads.values())}


def _ready(registry: Registry, name: str) -> float:
    """Return the median time from an empty context to packed weights."""
    AppContext(registry, "cpu").checkpoint(name)
    return median(
        _milliseconds(lambda context: context.checkpoint(name), AppContext(registry, "cpu"))
        for _ in range(LOADS)
    )


def _milliseconds(work: Callable[..., object], *arguments: object) -> float:
    started = time.perf_counter()
    work(*arguments)
    return 1000 * (time.perf_counter() - started)
