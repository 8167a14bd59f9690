"""Progress, deadline and cancellation of a decoding that runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event
from typing import TYPE_CHECKING

from demo.work.operator.caps import DEADLINE_SECONDS
from demo.work.requests.checks import RequestError
from models.decoding.status import Stop
from models.errors import Message

if TYPE_CHECKING:
    from models.decoding.search.step import SearchStep


@dataclass(eq=False)
class Watch:
    """The watch of one decoding. Another thread may read the progress or set `cancelled`."""

    seconds: float = DEADLINE_SECONDS
    started: float = field(default_factory=time.monotonic)
    cancelled: Event = field(default_factory=Event)
    pause: Callable[[], None] | None = None  # lets others decode for a while, see `Turns`
    shuts_down: bool = False  # whether the server shuts down
    superseded: bool = False  # whether another request has replaced it, so that its result will not be shown
    decodings_ahead: int = 0  # number of decodings that run before this one
    is_loading: bool = False  # whether the checkpoint is being read into memory
    steps: int = 0
    expanded: int = 0  # prefixes that the search has expanded
    finished: int = 0  # finished sequences kept
    best: float | None = None  # log-probability of the best of them, in nats

    def shut_down(self) -> None:
        """End the decoding with what it has, because the server stops."""
        self.shuts_down = True
        self.cancelled.set()

    def supersede(self) -> None:
        """End the decoding, since another request has replaced it."""
        self.superseded = True
        self.cancelled.set()

    def let_others_run(self) -> None:
        """Let waiting decodings run for a while. Work without search steps calls it."""
        if self.pause is not None:
            self.pause()

    def go_on(self, stopped: Message, out_of_time: Message) -> None:
        """Let waiting decodings run. Raises RequestError with one of the messages if this work must end."""
        self.let_others_run()
        if self.cancelled.is_set():
            raise RequestError(stopped)
        if time.monotonic() - self.started > self.seconds:
            raise RequestError(out_of_time)

    @contextmanager
    def loading(self) -> Iterator[None]:
        """Mark the block as loading the checkpoint, which does not count as time of the decoding."""
        self.is_loading = True
        try:
            yield
        finally:
            self.is_loading, self.started = False, time.monotonic()

    def __call__(self, step: SearchStep) -> Stop | None:
        self.steps, self.expanded = step.number + 1, step.expanded
        result = step.pools[0].sequences
        self.finished = len(result)
        self.best = max((sequence.log_prob for sequence in result), default=None)
        self.let_others_run()
        if self.cancelled.is_set():
            return Stop.SHUTDOWN if self.shuts_down else Stop.CANCELLED
        return Stop.TIME if time.monotonic() - self.started > self.seconds else None
