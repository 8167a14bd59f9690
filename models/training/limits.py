"""What whoever runs the server allows training to take, from environment variables. Knows no torch."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

ON, OFF = ("on", "1", "true", "yes"), ("off", "0", "false", "no")
NEEDED_BYTES = 200 << 20  # free disk without which no run begins


class LimitsError(ValueError):
    """An environment variable that cannot be read; the message names it and what it may be."""


def default_root(environ: Mapping[str, str] = os.environ) -> Path:
    """The folder of all runs: UNROLLED_RUNS, else where programs of this system keep a person's data."""
    if environ.get("UNROLLED_RUNS", "").strip():
        return Path(environ["UNROLLED_RUNS"]).expanduser().absolute()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "unrolled" / "runs"
    if sys.platform == "win32":
        data = Path(environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        data = Path(environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return data / "unrolled" / "runs"


@dataclass(frozen=True)
class TrainingLimits:
    """Caps on training; 0 is no cap, except that with a queue of 0 nobody waits."""

    enabled: bool = True
    minutes: int = 0  # of training, for one run, however often it is resumed
    queue: int = 4  # runs of all visitors that may wait for a device
    parameters: int = 0  # of a network
    root: Path = field(default_factory=default_root)
    total_bytes: int = 10 << 30  # of all runs on disk; the oldest finished ones go first

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> TrainingLimits:
        """UNROLLED_TRAINING (on or off) and, behind it, _MINUTES, _QUEUE, _PARAMETERS; UNROLLED_RUNS, _BYTES.

        Raises LimitsError, so that a typing error stops the server and does not lift a cap.
        """
        switch = environ.get("UNROLLED_TRAINING", "on").strip().lower()
        if switch not in ON + OFF:
            raise LimitsError(f"UNROLLED_TRAINING must be on or off; got {switch!r}")
        return cls(
            enabled=switch in ON,
            minutes=_count(environ, "UNROLLED_TRAINING_MINUTES", cls.minutes),
            queue=_count(environ, "UNROLLED_TRAINING_QUEUE", cls.queue),
            parameters=_count(environ, "UNROLLED_TRAINING_PARAMETERS", cls.parameters),
            root=default_root(environ),
            total_bytes=_count(environ, "UNROLLED_RUNS_BYTES", cls.total_bytes),
        )


def _count(environ: Mapping[str, str], name: str, default: int) -> int:
    text = environ.get(name, "").strip().replace("_", "")
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise LimitsError(f"{name} must be a whole number of at least 0; got {text[:40]!r}")
    return int(text)
