"""The kinds of work that visitors may start: how many of each run and wait, and how long one may take.

Queues and `docs/settings.md` use this table; `demo.work.operator.caps` has the operator's settings.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

from demo.work.operator.caps import (
    DEADLINE_SECONDS,
    MAX_QUEUE,
    MAX_READING,
    MAX_RUNNING,
    MAX_WAITING_PER_VISITOR,
    REFUSING_HANDLERS,
)


@dataclass(frozen=True)
class WorkKind:
    """A kind of work."""

    name: str
    meaning: str  # a list of what belongs to it
    running: int  # the most that run at once
    waiting: int = 0  # the most in a line that shows the position and refuses more
    of_one: int | None = None  # waiting ones of one visitor; None: no limit
    seconds: float = inf  # the most that one runs, without its waits; inf: its data has a cap instead

    @property
    def queue(self) -> dict[str, Any]:
        """Gradio's options of an event whose handler does the work; refused calls need threads, too."""
        limit = self.running + self.waiting + REFUSING_HANDLERS if self.waiting else self.running
        return {"concurrency_id": self.name, "concurrency_limit": limit}


DECODING = WorkKind(
    "decode",
    "decodings, Compare, scores, attribution, lenses, Inspect, `/evaluate`",
    MAX_RUNNING,
    MAX_QUEUE,
    MAX_WAITING_PER_VISITOR,
    DEADLINE_SECONDS,
)
EVALUATION = WorkKind("evaluations", "evaluations on the page", 1, 10, 1, 900.0)
LAB = WorkKind("labs", "trainings of a lab", 2, 30, 1, 60.0)
DATA = WorkKind(
    "data", "previews of training data", max(1, MAX_RUNNING // 2), MAX_QUEUE, MAX_WAITING_PER_VISITOR
)
READING = WorkKind("reading", "reading files of pairs", MAX_READING)
RUNS = WorkKind("runs", "starting, stopping and removing runs, keeping corrections", 8)
HUB = WorkKind("hub", "listing and fetching models of the Hub", 8)
PUSH = WorkKind("push", "sending a run to the Hub", 4)
OPENING = WorkKind("opening", "opening a checkpoint from its card", 8)

WORK = (DECODING, EVALUATION, LAB, DATA, READING, RUNS, HUB, PUSH, OPENING)
