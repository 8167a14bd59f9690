"""A decoding that may take long: it runs in a thread of its own, tells how far it is, and can be stopped."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Generator
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

FIRST_WORD, INTERVAL = 0.4, 0.25  # seconds until the first word of progress, and between two
WAITING_INTERVAL = 1.0  # while another's turn is awaited: a full house must not be busy telling so


class Running:
    """What each visitor is decoding now, so that they, and nobody else, can stop it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._watches: OrderedDict[str, Watch] = OrderedDict()  # by session, oldest first

    def __len__(self) -> int:
        return len(self._watches)

    def begin(self, session: str) -> Watch:
        """A watch for a new decoding; one of the same visitor that still runs is stopped."""
        watch = Watch()
        with self._lock:
            earlier = self._watches.pop(session, None)
            if earlier is not None:
                earlier.superseded = True
                earlier.cancelled.set()
            self._watches[session] = watch
            while len(self._watches) > MAX_STOPPABLE:
                self._watches.popitem(last=False)
        return watch

    def end(self, session: str, watch: Watch) -> None:
        """Forget a decoding that is done."""
        with self._lock:
            if self._watches.get(session) is watch:
                del self._watches[session]

    def stop(self, session: str) -> None:
        """Ask the visitor's decoding, if there is one, to end with what it has."""
        with self._lock:
            if session in self._watches:
                self._watches[session].cancelled.set()


def decode_in_steps(
    context: AppContext, request: DecodeRequest, watch: Watch
) -> Generator[str | DecodingTrace, None, None]:
    """Sentences about the progress, then the trace. Closing the iterator stops the decoding.

    Raises what `AppContext.decode` raises.
    """
    with Background(partial(context.decode, request, watch), watch.cancelled.set) as decoding:
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
        return f"Loading the checkpoint into memory, {seconds:.0f} s."
    if not watch.steps:
        return say("Getting ready, {seconds} s.", seconds=f"{seconds:.0f}")
    told = {"prefixes": prefixes(watch.expanded), "seconds": f"{seconds:.0f}"}
    if watch.best is None:
        return say("{prefixes} looked at, nothing finished yet, {seconds} s.", **told)
    return say(
        "{prefixes} looked at, best so far {nats} nats, {seconds} s.", **told, nats=number_text(watch.best)
    )
