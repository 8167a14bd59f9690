"""Searches that last as long as a test wants, on any machine."""

from __future__ import annotations

import math
from dataclasses import dataclass

from demo.work.watch import Watch
from models.decoding.search.step import SearchStep
from models.decoding.status import Stop

# A Spanish sentence that is long enough for an exact search to backtrack more than once.
LONG = (
    "mi hermana quiere comprar una casa grande cerca del mar este verano pero mi padre dice que es muy cara "
    "y que no tenemos dinero para pagar una casa tan grande como esa en este momento"
)


@dataclass(eq=False)
class PausedWatch(Watch):
    """Suspends a depth-first search at its first backtracking after an output, until it is stopped."""

    seconds: float = math.inf

    def __call__(self, step: SearchStep) -> Stop | None:
        stop = super().__call__(step)
        backtracked = step.length < step.number  # happens in no other search
        if stop is None and backtracked and self.best is not None:
            self.hold()
            stop = super().__call__(step)
        return stop

    def hold(self) -> None:
        """Wait for the end."""
        self.cancelled.wait()


@dataclass(eq=False)
class YieldingWatch(PausedWatch):
    """Lets others run during the suspension, as a search does at each of its steps."""

    def hold(self) -> None:
        while not self.cancelled.wait(0.01):
            self.let_others_run()
