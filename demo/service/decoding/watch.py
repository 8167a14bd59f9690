"""Looks at a decoding while it runs: how far it is, whether it takes too long, whether it was stopped."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event
from typing import TYPE_CHECKING

from demo.operator.caps import DEADLINE_SECONDS
from models.decoding.status import Stop

if TYPE_CHECKING:
    from models.decoding.search.step import SearchStep


@dataclass(eq=False)
class Watch:
    """One decoding's; another thread may read the progress or set `cancelled` meanwhile."""

    seconds: float = DEADLINE_SECONDS
    started: float = field(default_factory=time.monotonic)
    cancelled: Event = field(default_factory=Event)
    pause: Callable[[], None] | None = None  # lets others decode for a while, see `Turns`
    shuts_down: bool = False  # the server does
    superseded: bool = False  # the visitor has asked for something else since
    left: bool = False  # or looks at something else, and has asked for nothing
    ahead: int = 0  # decodings of others that come first, while this one waits for its turn
    loads: bool = False  # the checkpoint is on its way into memory
    steps: int = 0
    expanded: int = 0  # prefixes that the model was asked about
    finished: int = 0  # sequences held
    best: float | None = None  # log-probability of the best of them, in nats

    def shut_down(self) -> None:
        """Let it end with what it has, because the server stops."""
        self.shuts_down = True
        self.cancelled.set()

    def supersede(self) -> None:
        """End it, since nobody waits for it any more."""
        self.superseded = True
        self.cancelled.set()

    def rest(self) -> None:
        """Let others decode for a while, if they wait: for work that takes no steps."""
        if self.pause is not None:
            self.pause()

    @contextmanager
    def loading(self) -> Iterator[None]:
        """While the block runs the checkpoint is loaded, which takes nothing of the decoding's time."""
        self.loads = True
        try:
            yield
        finally:
            self.loads, self.started = False, time.monotonic()

    def __call__(self, step: SearchStep) -> Stop | None:
        """See `models.decoding.record.recorder.Watch`."""
        self.steps, self.expanded = step.serial + 1, step.expanded
        result = step.pools[0].finished
        self.finished = len(result)
        self.best = max((sequence.log_prob for sequence in result), default=None)
        self.rest()
        if self.cancelled.is_set():
            return Stop.SHUTDOWN if self.shuts_down else Stop.CANCELLED
        return Stop.TIME if time.monotonic() - self.started > self.seconds else None
