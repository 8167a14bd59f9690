"""Listing a zoo of checkpoints: every card read from disk, as when the Checkpoints tab is opened."""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from models.registry.card import CARD
from models.registry.checkpoint import CONFIG
from models.registry.registry import Registry
from tests.browser.conftest import ROOT

CHECKPOINTS, REPEATS = 14, 50


def measure() -> tuple[list[dict[str, Any]], dict[str, float]]:
    """A row for people, and the figure."""
    shipped = ROOT / "checkpoints"
    names = Registry(shipped).names()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(CHECKPOINTS):
            copy = Path(folder) / f"copy-{number:02}"
            copy.mkdir()
            for file in (CARD, CONFIG):
                shutil.copy(shipped / names[number % len(names)] / file, copy)
        registry = Registry(Path(folder))
        registry.cards()  # imports, and what the disk has to fetch
        durations = [_milliseconds(registry) for _ in range(REPEATS)]
    return [{"what": f"list {CHECKPOINTS} checkpoints", "ours ms": median(durations)}], {
        "list_checkpoints_ms": median(durations)
    }


def _milliseconds(registry: Registry) -> float:
    started = time.perf_counter()
    registry.cards()
    return 1000 * (time.perf_counter() - started)
