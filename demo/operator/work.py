"""Every kind of work that visitors may ask for: how much of it runs and waits, and how long it may take.

Queues and `docs/settings.md` read it here; `demo.operator.caps` has what the operator settles.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

from demo.operator.caps import (
    DEADLINE_SECONDS,
    MAX_QUEUE,
    MAX_READING,
    MAX_RUNNING,
    MAX_WAITING_OF_ONE,
    TURNED_AWAY,
)


@dataclass(frozen=True)
class Work:
    """One kind of work."""

    name: str
    meaning: str  # what belongs to it
    running: int  # at once
    waiting: int = 0  # further ones, in a line that says how many come before; who finds it full is told so
    of_one: int | None = None  # that one visitor may have waiting; None: as many as fit
    seconds: float = inf  # that one may take at the processor; inf: its data has a cap instead

    @property
    def queue(self) -> dict[str, Any]:
        """Options of an event of Gradio whose handler does it; whoever is turned away needs a thread, too."""
        limit = self.running + self.waiting + TURNED_AWAY if self.waiting else self.running
        return {"concurrency_id": self.name, "concurrency_limit": limit}


DECODING = Work(
    "decode",
    "decodings, Compare, scores, attribution, lenses, Inspect, `/evaluate`",
    MAX_RUNNING,
    MAX_QUEUE,
    MAX_WAITING_OF_ONE,
    DEADLINE_SECONDS,
)
EVALUATION = Work("evaluations", "evaluations on the page", 1, 10, 1, 900.0)
LAB = Work("labs", "trainings within a lab", 2, 30, 1, 60.0)
DATA = Work("data", "looks at training data", max(1, MAX_RUNNING // 2), MAX_QUEUE, MAX_WAITING_OF_ONE)
READING = Work("reading", "files of pairs that are taken apart", MAX_READING)
RUNS = Work("runs", "starting, stopping and removing runs, keeping corrections", 8)
HUB = Work("hub", "listing and fetching models of the Hub", 8)
PUSH = Work("push", "sending a run to the Hub", 4)
OPENING = Work("opening", "opening a checkpoint from its card", 8)

WORK = (DECODING, EVALUATION, LAB, DATA, READING, RUNS, HUB, PUSH, OPENING)
