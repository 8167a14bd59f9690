"""Stored states of a network on many sentences, and the nearest neighbours of a state among them.

Here is the environment setting for the folder of the states. Imports no torch.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from models.environment import cache_variable


@dataclass(frozen=True)
class StateSettings:
    """The folder of the states of all checkpoints."""

    root: Path = cache_variable(
        "UNROLLED_STATES", "states", "where `python -m models.inspection.neighbours` stores its states"
    )
