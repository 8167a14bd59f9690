"""A decoding that may take long: it runs in a thread of its own, tells how far it is, and can be stopped."""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import dataclass
from functools import partial
from threading import Lock

from demo.captions.search import prefixes
from demo.i18n import say
from demo.i18n.display import number_text
from demo.operator.caps import MAX_STOPPABLE
from demo.requests.decode import DecodeRequest
from demo.service.background import Background
from demo.service.context import AppContext
from demo.service.decoding.watch import Watch
from models.decoding.trace import DecodingTrace
from models.lru_cache import LruCache

FIRST_WORD, INTERVAL = 0.4, 0.25  # seconds until the first word of progress, and between two
WAITING_INTERVAL = 1.0  # while another's turn is awaited: a full house must not be busy telling so


@dataclass(eq=False)
class UnderWay:
    """A decoding that has begun."""

    request: DecodeRequest
    watch: Watch
    decoding: Background[DecodingTrace]


def start(context: AppContext, request: DecodeRequest, watch: Watch) -> UnderWay:
    """Begin a decoding in a thread of its own."""
    return UnderWay(request, watch, Background(partial(context.decode, request, watch), watch.cancelled.set))


class Running:
    """What each visitor is decoding now, so that they, and nobody else, can stop it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._watches: LruCache[str, Watch] = LruCache(MAX_STOPPABLE)  # by session
        self._handed_over: LruCache[str, UnderWay] = LruCache(MAX_STOPPABLE)  # until taken

    def __len__(self) -> int:
        return len(self._watches)

    def begin(self, session: str) -> Watch:
        """A watch for a new decoding; one of the same visitor that still runs is stopped."""
        watch = Watch()
        with self._lock:
            earlier = self._watches.pop(session)
            self._watches[session] = watch
        if earlier is not None:
            earlier.supersede()
        return watch

    def end(self, session: str, watch: Watch) -> None:
        """Forget a decoding that is done."""
        with self._lock:
            if self._watches.get(session) is watch:
                self._watches.pop(session)

    def leave(self, session: str) -> None:
        """Stop the visitor's decoding, which nobody waits for any more: they look at something else."""
        with self._lock:
            watch = self._watches.pop(session)
        if watch is not None:
            watch.left = True
            watch.supersede()

    def hand_over(self, session: str, under_way: UnderWay) -> None:
        """Keep a decoding for whoever `take`s it."""
        with self._lock:
            if self._watches.get(session) is under_way.watch:
                self._handed_over[session] = under_way

    def take(self, session: str, request: DecodeRequest) -> UnderWay | None:
        """The decoding that was handed over, if it is the one that is asked for; it may be superseded."""
        with self._lock:
            kept = self._handed_over.get(session)
            return self._handed_over.pop(session) if kept is not None and kept.request == request else None

    def drop(self, session: str, under_way: UnderWay) -> None:
        """Stop a decoding that was handed over, unless somebody has taken it."""
        with self._lock:
            left = self._handed_over.get(session) is under_way
            if left:
                self._handed_over.pop(session)
        if left:
            under_way.watch.cancelled.set()
            self.end(session, under_way.watch)

    def stop(self, session: str) -> None:
        """Ask the visitor's decoding, if there is one, to end with what it has."""
        with self._lock:
            watch = self._watches.get(session)
        if watch is not None:
            watch.cancelled.set()


def in_steps(under_way: UnderWay) -> Generator[str | DecodingTrace, None, None]:
    """Sentences about the progress, then the trace. Closing the iterator stops the decoding.

    Raises what `AppContext.decode` raises.
    """
    watch = under_way.watch
    with under_way.decoding as decoding:
        patience = FIRST_WORD
        while not decoding.is_done(patience):
            yield progress_text(watch)
            patience = WAITING_INTERVAL if watch.ahead else INTERVAL
        yield decoding.result()


def progress_text(watch: Watch) -> str:
    """How far a decoding is, or how many come before it."""
    if watch.ahead:
        return say("{count} ahead of you. Yours begins by itself; Stop leaves the line.", count=watch.ahead)
    seconds = time.monotonic() - watch.started
    if watch.loads:
        return say("Loading the checkpoint into memory, {seconds} s.", seconds=f"{seconds:.0f}")
    if not watch.steps:
        return say("Getting ready, {seconds} s.", seconds=f"{seconds:.0f}")
    told = {"prefixes": prefixes(watch.expanded), "seconds": f"{seconds:.0f}"}
    if watch.best is None:
        return say("{prefixes} looked at, nothing finished yet, {seconds} s.", **told)
    return say(
        "{prefixes} looked at, best so far {nats} nats, {seconds} s.", **told, nats=number_text(watch.best)
    )
