"""Searches that last for as long as a test wants, on any machine."""

from __future__ import annotations

import math
from dataclasses import dataclass

from demo.service.decoding.watch import Watch
from models.decoding.record.status import Stop
from models.decoding.search.step import SearchStep

# For a translation from Spanish: long enough for an exact search to turn back more than once.
LONG = (
    "mi hermana quiere comprar una casa grande cerca del mar este verano pero mi padre dice que es muy cara "
    "y que no tenemos dinero para pagar una casa tan grande como esa en este momento"
)


@dataclass(eq=False)
class HeldWatch(Watch):
    """Holds a depth-first search that has found something when it first turns back, until it is stopped."""

    seconds: float = math.inf

    def __call__(self, step: SearchStep) -> Stop | None:
        stop = super().__call__(step)
        turned_back = step.index < step.serial  # as no other search does
        if stop is None and turned_back and self.best is not None:
            self.cancelled.wait()
            stop = super().__call__(step)
        return stop
