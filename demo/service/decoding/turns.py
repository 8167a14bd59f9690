"""Who may decode now: so many at once, in slices of time that are shared out over all who ask."""

from __future__ import annotations

import gc
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from threading import Condition, Timer

from demo.operator.caps import MAX_QUEUE, MAX_RUNNING, MAX_WAITING_OF_ONE
from demo.requests.checks import RequestError
from demo.requests.full import FULL, LEFT, YOURS_FULL
from demo.requests.listener import Listener, listener
from demo.requests.owner import network, owner
from demo.service.decoding.watch import Watch
from models.errors import Message

LOOK = 0.5  # seconds between two looks of a waiting decoding at whether it was stopped
MUCH_MEMORY = 64 << 20  # bytes by which the process may grow before it returns what it has freed
SETTLE = 2.0  # seconds after a turn, when its tensors are out of use
SLICE = 0.5  # seconds after which a decoding lets another go on, if one waits
CLOSED = Message(
    "shutting_down", "The server is shutting down, so this was not begun. Try again in a minute."
)


class LineFullError(RequestError):
    """Nobody more may wait."""


@dataclass(eq=False)
class _Place:
    """One decoding, from the moment that it asks until it is done."""

    watch: Watch
    owner: object
    network: object  # where the owner asks from
    listener: Listener | None
    seconds: float  # of a slice
    displaced: bool = False  # whoever had fewer places took it
    began: bool = False
    ends: float = 0.0  # its slice, by the monotonic clock


class Turns:
    """A waiting line before the processor, which the decodings of all visitors share.

    Not Gradio's queue, which tells nobody's place in words, where nobody can stop what has not begun, and
    where one visitor's fifty searches come before another's first. Round robin over owners: whoever had their
    last slice longest ago comes first, and an owner's second decoding begins when nobody else's first waits.
    Of owners who had none yet, those come first whose network, a household or school, had its last longest
    ago: a program that takes a new name for each call has no advantage by it.
    """

    def __init__(
        self, running: int = MAX_RUNNING, waiting: int = MAX_QUEUE, of_one: int = MAX_WAITING_OF_ONE
    ) -> None:
        self._free, self._longest, self._of_one = running, waiting, of_one
        self._waiting: list[_Place] = []  # in the order of coming
        self._running: list[_Place] = []
        # By owner, and by network, that has a place: the number of the last slice.
        self._served: dict[object, int] = {}
        self._network_served: dict[object, int] = {}
        self._slices = 0
        self._closed = False
        self._resident = 0  # bytes that the process held when it last returned what it had freed
        self._timer: Timer | None = None  # it runs until memory is returned
        self._changed = Condition()

    @contextmanager
    def turn(self, watch: Watch, seconds: float | None = None) -> Iterator[None]:
        """Wait for a turn and hold it; `watch.ahead` tells meanwhile how many come before.

        While it is held, `watch.pause` lets others go on once a slice, of so many seconds, is over. Raises
        LineFullError if too many wait, RequestError if the watch is cancelled before its turn, or the server
        shuts down.
        """
        whose = owner() or object()
        slices = SLICE if seconds is None else seconds
        place = _Place(watch, whose, network() or whose, listener(), slices)
        with self._changed:
            self._join(place)
            try:
                if not self._await(place):
                    raise RequestError(CLOSED if self._closed else LEFT)
            except BaseException:
                self._forget(place)
                raise
            finally:
                watch.ahead = 0
        try:
            watch.started, watch.pause = time.monotonic(), partial(self._pause, place)
            yield
        finally:
            watch.pause = None
            with self._changed:
                self._running.remove(place)
                self._forget(place)
                self._return_memory_soon()
                self._changed.notify_all()

    def close(self, seconds: float) -> bool:
        """End all that runs with what it has, let nothing begin; whether all had ended within the time."""
        with self._changed:
            self._closed = True
            for place in (*self._waiting, *self._running):
                place.watch.shut_down()
            self._changed.notify_all()
            return self._changed.wait_for(lambda: not (self._waiting or self._running), seconds)

    def _return_memory_soon(self) -> None:
        """Start a timer that returns freed memory, if the process has grown much since the last time."""
        from models.device import resident_bytes

        if self._timer is None and resident_bytes() - self._resident > MUCH_MEMORY:
            self._timer = Timer(SETTLE, self._return_memory)
            self._timer.daemon = True
            self._timer.start()

    def _return_memory(self) -> None:
        """Return what large turns have freed, tensors in reference cycles included."""
        from models.device import resident_bytes, return_freed_memory

        gc.collect()
        return_freed_memory()
        with self._changed:
            self._resident, self._timer = resident_bytes(), None

    def _join(self, place: _Place) -> None:
        if self._closed:
            raise RequestError(CLOSED)
        waiting = [item for item in self._waiting if not item.displaced]
        places = Counter(item.owner for item in waiting)
        if places[place.owner] >= self._of_one:
            raise LineFullError("your_places_full", YOURS_FULL, places=self._of_one)
        if len(waiting) >= self._longest:
            self._displace(waiting, place)

    def _displace(self, waiting: list[_Place], newcomer: _Place) -> None:
        """In a full line, whoever has the most places gives up the last one to somebody with fewer.

        Where no owner has more than one, it is the network with the most.
        """
        for of in (attrgetter("owner"), attrgetter("network")):
            places = Counter(map(of, waiting))
            few = places[of(newcomer)] + 1
            greedy = [item for item in waiting if not item.began and places[of(item)] > few]
            if greedy:
                # Of those with equally many the one who came last, who may have waited shortest.
                most = max(places[of(item)] for item in greedy)
                next(item for item in reversed(greedy) if places[of(item)] == most).displaced = True
                self._changed.notify_all()
                return
        raise LineFullError("line_full", FULL, places=self._longest)

    def _await(self, place: _Place) -> bool:
        """Wait for a slice; False if nobody wants it any more. Holds the lock but while it waits.

        Raises LineFullError if the place went to somebody who had fewer.
        """
        self._waiting.append(place)
        try:
            while self._is_wanted(place):
                if len(self._running) < self._free and self._in_order()[0] is place:
                    self._serve(place)
                    return True
                if not place.began:
                    place.watch.ahead = self._in_order().index(place) + len(self._running)
                self._changed.wait(LOOK)
                if place.displaced:
                    raise LineFullError("line_full", FULL, places=self._longest)
                if place.watch.cancelled.is_set():
                    break
            return False
        finally:
            self._waiting.remove(place)
            self._changed.notify_all()

    def _is_wanted(self, place: _Place) -> bool:
        """A call that nobody listens to is dropped, also when it has begun."""
        return place.listener is None or not place.listener.is_absent()

    def _serve(self, place: _Place) -> None:
        self._slices += 1
        self._served[place.owner] = self._network_served[place.network] = self._slices
        place.began, place.ends = True, time.monotonic() + place.seconds
        self._running.append(place)

    def _in_order(self) -> list[_Place]:
        """Who waits, the next one first."""
        running = Counter(item.owner for item in self._running)
        begun = running + Counter(item.owner for item in self._waiting if item.began)

        def key(place: _Place) -> tuple[bool, int, int, int]:
            second = not place.began and begun[place.owner] > 0
            served = self._served.get(place.owner, 0)
            return second, running[place.owner], served, self._network_served.get(place.network, 0)

        return sorted(self._waiting, key=key)  # of equals the one who came first

    def _pause(self, place: _Place) -> None:
        """Let others go on, if the slice is over and some wait; until the next slice no time counts."""
        if time.monotonic() < place.ends:
            return
        if not self._is_wanted(place):
            place.watch.cancelled.set()
            return
        if not self._waiting:
            return
        with self._changed:
            paused = time.monotonic()
            self._running.remove(place)
            self._changed.notify_all()  # else whoever is next would find it out at their next look
            if not self._await(place):
                place.watch.cancelled.set()
                self._serve(place)  # it ends with what it has, which takes no time
            place.watch.started += time.monotonic() - paused

    def _forget(self, place: _Place) -> None:
        others = (*self._waiting, *self._running)
        if all(other.owner != place.owner for other in others):
            self._served.pop(place.owner, None)
        if all(other.network != place.network for other in others):
            self._network_served.pop(place.network, None)
