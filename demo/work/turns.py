"""Turns at the processor: a few decodings run at once, in slices of time shared fairly over visitors."""

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

from demo.work.operator.caps import MAX_QUEUE, MAX_RUNNING, MAX_WAITING_PER_VISITOR
from demo.work.requests.caller import (
    LEFT_QUEUE,
    QUEUE_FULL,
    VISITOR_QUEUE_FULL,
    Listener,
    ip_group,
    listener,
    owner,
)
from demo.work.requests.checks import RequestError
from demo.work.watch import Watch
from models.errors import Message
from models.process import resident_bytes, return_freed_memory

STOP_CHECK_SECONDS = 0.5  # seconds between two checks of a waiting decoding whether it was stopped
MAX_UNFREED_BYTES = 64 << 20  # bytes by which the process may grow before it returns what it has freed
SETTLE_SECONDS = 2.0  # seconds after a turn, when its tensors are out of use
# Bytes of all large decodings that have begun, unless there is only one. Others wait for their first turn; a
# small one never does.
MAX_LARGE_BYTES, MAX_SMALL_BYTES = 320 << 20, 8 << 20
SLICE_SECONDS = 0.5  # seconds after which a decoding lets another go on, if one waits
SHUTTING_DOWN = Message(
    "shutting_down", "The server is shutting down, so this was not begun. Try again in a minute."
)


class QueueFullError(RequestError):
    """The queue is full."""


@dataclass(eq=False)
class _TurnRequest:
    """A decoding that waits or runs."""

    watch: Watch
    owner: object
    ip_group: object  # the owner's household or school
    listener: Listener | None
    seconds: float  # one slice
    size: int  # bytes in memory from its first slice to its last; 0: too few to count
    displaced: bool = False  # its place went to an owner with fewer
    began: bool = False
    ends: float = 0.0  # the monotonic clock's time at which its slice ends


class Turns:
    """The queue for the processor, which the decodings of all visitors share.

    It replaces Gradio's queue, which shows no position in words, cannot stop a decoding that waits, and
    serves fifty searches of one visitor before the first of another. The line is a round robin over owners:
    the owner whose last slice began longest ago comes first, and an owner's second decoding begins when no
    other owner's first one waits. Among owners without a slice, the IP group (a household or school) whose
    last slice is oldest comes first, so that a program gains nothing by a new name for each call.
    """

    def __init__(
        self, running: int = MAX_RUNNING, waiting: int = MAX_QUEUE, of_one: int = MAX_WAITING_PER_VISITOR
    ) -> None:
        self._max_running, self._max_waiting, self._max_per_owner = running, waiting, of_one
        self._waiting: list[_TurnRequest] = []  # the order of arrival
        self._running: list[_TurnRequest] = []
        # The number of the last slice, by owner and by IP group, of those that wait or run.
        self._served: dict[object, int] = {}
        self._ip_group_served: dict[object, int] = {}
        self._slices = 0
        self._closed = False
        # Bytes that the process held when it last returned what it had freed. At the start it has freed
        # nothing, and a collection of all that is imported would suspend every decoding for a second.
        self._resident = resident_bytes()
        self._returned_beside_others = False  # then they held memory of which nothing could be returned
        self._timer: Timer | None = None  # it runs until memory is returned
        self._changed = Condition()

    @contextmanager
    def turn(self, watch: Watch, seconds: float | None = None, size: int = 0) -> Iterator[None]:
        """Wait for a turn and hold it; meanwhile `watch.decodings_ahead` counts the earlier ones.

        `size` is an estimate of the bytes that the decoding takes, paused or not.

        During the turn, `watch.pause` lets others go on once a slice of `seconds` is over. Raises
        QueueFullError if too many wait, RequestError if the watch is cancelled or the server shuts down.
        """
        owner_key = owner() or object()
        slice_seconds = SLICE_SECONDS if seconds is None else seconds
        size = size if size > MAX_SMALL_BYTES else 0
        request = _TurnRequest(watch, owner_key, ip_group() or owner_key, listener(), slice_seconds, size)
        with self._changed:
            self._check_room(request)
            try:
                if not self._await(request):
                    raise RequestError(SHUTTING_DOWN if self._closed else LEFT_QUEUE)
            except BaseException:
                self._forget(request)
                raise
            finally:
                watch.decodings_ahead = 0
        try:
            watch.started, watch.pause = time.monotonic(), partial(self._pause, request)
            yield
        finally:
            watch.pause = None
            with self._changed:
                self._running.remove(request)
                self._forget(request)
                self._return_memory_soon()
                self._changed.notify_all()

    def close(self, seconds: float) -> bool:
        """Stop all decodings, which keep what they have; return whether all ended within the time."""
        with self._changed:
            self._closed = True
            for request in (*self._waiting, *self._running):
                request.watch.shut_down()
            self._changed.notify_all()
            return self._changed.wait_for(lambda: not (self._waiting or self._running), seconds)

    def _return_memory_soon(self) -> None:
        """Start a timer that returns freed memory, if the process has grown much since the last time.

        It starts, too, when the last of those ends that worked at that time.
        """
        is_last = self._returned_beside_others and not (self._waiting or self._running)
        if self._timer is None and (is_last or resident_bytes() - self._resident > MAX_UNFREED_BYTES):
            self._timer = Timer(SETTLE_SECONDS, self._return_memory)
            self._timer.daemon = True
            self._timer.start()

    def _return_memory(self) -> None:
        """Return what large turns have freed, tensors in reference cycles included."""
        gc.collect()
        return_freed_memory()
        with self._changed:
            self._resident, self._timer = resident_bytes(), None
            self._returned_beside_others = bool(self._waiting or self._running)

    def _check_room(self, request: _TurnRequest) -> None:
        if self._closed:
            raise RequestError(SHUTTING_DOWN)
        waiting = [item for item in self._waiting if not item.displaced]
        counts = Counter(item.owner for item in waiting)
        if counts[request.owner] >= self._max_per_owner:
            raise QueueFullError("your_places_full", VISITOR_QUEUE_FULL, places=self._max_per_owner)
        if len(waiting) >= self._max_waiting:
            self._displace(waiting, request)

    def _displace(self, waiting: list[_TurnRequest], request: _TurnRequest) -> None:
        """Make room in a full queue: the owner with the most requests loses the last to an owner with fewer.

        If no owner has more than one, the IP group with the most loses one. Raises QueueFullError.
        """
        for group_of in (attrgetter("owner"), attrgetter("ip_group")):
            counts = Counter(map(group_of, waiting))
            few = counts[group_of(request)] + 1
            greedy = [item for item in waiting if not item.began and counts[group_of(item)] > few]
            if greedy:
                # Among equals the request that came last, which has waited the shortest time.
                most = max(counts[group_of(item)] for item in greedy)
                next(item for item in reversed(greedy) if counts[group_of(item)] == most).displaced = True
                self._changed.notify_all()
                return
        raise QueueFullError("line_full", QUEUE_FULL, places=self._max_waiting)

    def _await(self, request: _TurnRequest) -> bool:
        """Wait for a slice; return False if the request was cancelled. Holds the lock except while waiting.

        Raises QueueFullError if the place went to an owner with fewer requests.
        """
        self._waiting.append(request)
        try:
            while self._is_wanted(request):
                if len(self._running) < self._max_running and self._next() is request:
                    self._serve(request)
                    return True
                if not request.began:
                    request.watch.decodings_ahead = self._in_order().index(request) + len(self._running)
                self._changed.wait(STOP_CHECK_SECONDS)
                if request.displaced:
                    raise QueueFullError("line_full", QUEUE_FULL, places=self._max_waiting)
                if request.watch.cancelled.is_set():
                    break
            return False
        finally:
            self._waiting.remove(request)
            self._changed.notify_all()

    def _is_wanted(self, request: _TurnRequest) -> bool:
        """Whether somebody still listens to the call; if not, it is dropped, even after it has begun."""
        return request.listener is None or not request.listener.is_absent()

    def _serve(self, request: _TurnRequest) -> None:
        self._slices += 1
        self._served[request.owner] = self._ip_group_served[request.ip_group] = self._slices
        request.began, request.ends = True, time.monotonic() + request.seconds
        self._running.append(request)

    def _next(self) -> _TurnRequest | None:
        """The first waiting request that there is memory for. A large one holds back later large ones."""
        in_use = sum(item.size for item in (*self._waiting, *self._running) if item.began)
        held_back = False
        for request in self._in_order():
            if request.began or not request.size:
                return request
            held_back = held_back or (in_use > 0 and in_use + request.size > MAX_LARGE_BYTES)
            if not held_back:
                return request
        return None

    def _in_order(self) -> list[_TurnRequest]:
        """The waiting requests, the next one first."""
        running = Counter(item.owner for item in self._running)
        begun = running + Counter(item.owner for item in self._waiting if item.began)

        def key(request: _TurnRequest) -> tuple[bool, int, int, int]:
            is_later_slice = not request.began and begun[request.owner] > 0
            last_slice = self._served.get(request.owner, 0)
            return (
                is_later_slice,
                running[request.owner],
                last_slice,
                self._ip_group_served.get(request.ip_group, 0),
            )

        return sorted(self._waiting, key=key)  # stable: among equals the one that came first

    def _pause(self, request: _TurnRequest) -> None:
        """Let others go on if the slice is over and some wait; the pause does not count as decoding time."""
        if time.monotonic() < request.ends:
            return
        if not self._is_wanted(request):
            request.watch.cancelled.set()
            return
        if not self._waiting:
            return
        with self._changed:
            paused = time.monotonic()
            self._running.remove(request)
            self._changed.notify_all()  # otherwise the next request would notice only at its next check
            if not self._await(request):
                request.watch.cancelled.set()
                self._serve(request)  # it ends with what it has, which takes no time
            request.watch.started += time.monotonic() - paused

    def _forget(self, request: _TurnRequest) -> None:
        others = (*self._waiting, *self._running)
        if all(other.owner != request.owner for other in others):
            self._served.pop(request.owner, None)
        if all(other.ip_group != request.ip_group for other in others):
            self._ip_group_served.pop(request.ip_group, None)
