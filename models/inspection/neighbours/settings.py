"""Where stored states lie, as whoever runs the program says. Knows no torch."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from models.environment.kinds import Folder
from models.environment.places import cache_folder
from models.environment.variables import variable


def _default_root() -> Path:
    return cache_folder("states")


@dataclass(frozen=True)
class StateSettings:
    """The folder of the states of all checkpoints."""

    root: Path = variable(
        "UNROLLED_STATES",
        Folder(),
        "where the states of `python -m models.inspection.neighbours` lie",
        make=_default_root,
        told="`~/.cache/unrolled/states` or its like",
    )
