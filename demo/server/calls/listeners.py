"""The streams that bring answers of calls through Gradio's queue: which are open, which were closed early."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from models.lru_cache import LruCache

GRACE_SECONDS = 5.0  # time until a stream fetches a call's answer; a program asks for it separately
PULSE_SECONDS = 0.5  # between two looks at the delay of the event loop
STALL_SECONDS = 1.0  # delay from which on the loop counts as stalled
MAX_ENDED_SESSIONS = 10_000  # sessions whose last stream has ended, in memory


@dataclass(frozen=True)
class _Ended:
    """The last stream of a session that ended."""

    ended_at: float  # a time of the clock
    left_at: float  # the time when a stream was last closed before its end; -inf if never


NO_END = _Ended(float("-inf"), float("-inf"))


class Listeners:
    """The streams of a page's visitors, by session. One thread writes, any may read."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` is the one by which Gradio's queue notes the time of a call."""
        self.clock = clock
        self._open: Counter[str] = Counter()
        self._ended: LruCache[str, _Ended] = LruCache(MAX_ENDED_SESSIONS)  # keys: sessions
        # While the event loop stalls, a stream that was requested in time cannot open. A pulse finds stalls.
        self._pulse_due = float("inf")  # a time of the clock; inf while no call waits for a stream
        self._pulse_until = self._stalled_until = float("-inf")

    @property
    def open(self) -> int:
        """The number of open streams."""
        return self._open.total()

    def watch(self) -> None:
        """Watch the event loop for stalls while a call that is made now may wait for its stream."""
        self._pulse_until = self.clock() + GRACE_SECONDS
        if self._pulse_due == float("inf"):
            self._await_pulse()

    def _await_pulse(self) -> None:
        self._pulse_due = self.clock() + PULSE_SECONDS
        asyncio.get_running_loop().call_later(PULSE_SECONDS, self._pulse)

    def _pulse(self) -> None:
        now = self.clock()
        if self._is_stalled(now):
            self._stalled_until, self._pulse_until = now, now + GRACE_SECONDS
        self._pulse_due = float("inf")
        if now < self._pulse_until:
            self._await_pulse()

    def _is_stalled(self, now: float) -> bool:
        return now - self._pulse_due > STALL_SECONDS

    async def follow(self, session: str, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a stream of this session by `app`, and note whether it was read to its end."""
        whole = cut = False

        async def watched_send(message: Message) -> None:
            nonlocal whole
            await send(message)
            whole = whole or (message["type"] == "http.response.body" and not message.get("more_body"))

        async def watched_receive() -> Message:
            nonlocal cut
            message = await receive()
            cut = cut or (message["type"] == "http.disconnect" and not whole)
            return message

        self._open[session] += 1
        try:
            await app(scope, watched_receive, watched_send)
        finally:
            self.note_end(session, closed_early=cut or not whole)

    def note_end(self, session: str, closed_early: bool) -> None:
        """Note the end of a stream; `closed_early`: the client closed it before its end."""
        self._open[session] -= 1
        if self._open[session] <= 0:
            del self._open[session]
        before, now = self._last_end(session), self.clock()
        self._ended[session] = _Ended(now, now if closed_early else before.left_at)

    def listener_of(self, session: str, called_at: float) -> StreamListener:
        """The listener of a call that was made at this time of the clock."""
        return StreamListener(self, session, called_at)

    def has_left(self, session: str, called_at: float) -> bool:
        """Whether a stream that could bring the answer was closed before its end."""
        return self._last_end(session).left_at >= called_at

    def is_absent(self, session: str, called_at: float) -> bool:
        """Whether such a stream was closed early, or none was opened in time.

        The time of a stall of the event loop does not count.
        """
        return self.has_left(session, called_at) or self.silence(session, called_at) > GRACE_SECONDS

    def silence(self, session: str, since: float = float("-inf")) -> float:
        """The seconds since the session's last stream and the last stall ended, counted from `since` on.

        It is 0 while a stream is open or the event loop stalls. `since` is a time of the clock.
        """
        now = self.clock()
        if session in self._open or self._is_stalled(now):
            return 0.0
        return now - max(since, self._last_end(session).ended_at, self._stalled_until)

    def _last_end(self, session: str) -> _Ended:
        return self._ended.get(session) or NO_END


@dataclass(frozen=True)
class StreamListener:
    """The page or program that waits for the answer of one call."""

    listeners: Listeners
    session: str
    called_at: float

    def is_absent(self) -> bool:
        return self.listeners.is_absent(self.session, self.called_at)
