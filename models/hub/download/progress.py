"""How far a model is on its way from the Hub."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

STAGES = ("waiting", "looking", "downloading", "checking", "converting", "trying")


@dataclass(frozen=True)
class Progress:
    """One moment."""

    stage: str  # one of STAGES
    done: int = 0  # bytes that have come
    total: int = 0  # bytes that will; 0 before the Hub was asked


Report = Callable[[Progress], None]
