"""The operator's limits for training. Imports no torch."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from models.environment import data_folder, variable

NEEDED_DISK_BYTES = 200 << 20  # a run begins only with this much free space


@dataclass(frozen=True)
class TrainingLimits:
    """Caps on training."""

    enabled: bool = variable("UNROLLED_TRAINING", "`off`: no Training tab and no new runs", True)
    minutes: int = variable(
        "UNROLLED_TRAINING_MINUTES",
        "training time of one run, resumptions included; then it saves and stops",
        0,
        zero="no cap",
    )
    # A limit for the runs of all visitors together.
    queue: int = variable(
        "UNROLLED_TRAINING_QUEUE", "runs that may wait; one at a time trains on a device", 4
    )
    # A limit for one network.
    parameters: int = variable("UNROLLED_TRAINING_PARAMETERS", "largest network", 0, zero="no cap")
    root: Path = variable(
        "UNROLLED_RUNS",
        "where runs are stored; `--runs` overrides it",
        make=lambda: data_folder("runs"),
        sort="a folder",
        default_text="`~/.local/share/unrolled/runs` or its like",
    )
    # A limit for all runs on disk together.
    total_bytes: int = variable(
        "UNROLLED_RUNS_BYTES",
        "disk space of all runs; beyond it the oldest ended ones are removed, as for a visitor's 31st run",
        10 << 30,
        zero="no cap",
        unit="bytes",
    )
