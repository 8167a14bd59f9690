"""The streams that bring answers of calls through Gradio's queue, and the answers that are never fetched.

Gradio would store those of 2,000 sessions, of any size.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import gradio as gr
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from demo.server.gradio_queue import answers_of, forget
from models.lru_cache import LruCache

GRACE_SECONDS = 5.0  # time until a stream fetches a call's answer; a program asks for it separately
PULSE_SECONDS = 0.5  # between two looks at the delay of the event loop
STALL_SECONDS = 1.0  # delay from which on the loop counts as stalled
MAX_ANSWERS = 16  # up to some 40 MB each; listeners fetch at once
EVERY_SECONDS = 5.0  # an answer without a listener is stored for one to two times as long
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


class UnreadAnswers:
    """Drops the data in Gradio's queue of sessions whose calls are over and that nobody listens to."""

    def __init__(
        self, page: gr.Blocks, silence: Callable[[str], float], ip_group_of: Callable[[str], str]
    ) -> None:
        """`silence` returns the seconds for which a session has had no stream, `ip_group_of` its IP group."""
        self._page, self._silence, self._ip_group_of = page, silence, ip_group_of
        self._over: dict[str, frozenset[str]] = {}  # calls by session, as the last sweep left them
        self._is_due = False

    def watch(self) -> None:
        """Sweep every EVERY_SECONDS until nothing is stored any more. Needs a running event loop."""
        if not self._is_due:
            self._is_due = True
            loop = asyncio.get_running_loop()
            due = loop.time() + EVERY_SECONDS
            loop.call_at(due, lambda: self._tick(delay=loop.time() - due))

    def _tick(self, delay: float) -> None:
        self._is_due = False
        if delay > STALL_SECONDS:  # streams requested while the event loop stalled are not open yet
            self._over.clear()
        if self.sweep():
            self.watch()

    def sweep(self) -> bool:
        """Drop calls that were already over at the last sweep; return whether anything was stored.

        A session is kept for EVERY_SECONDS after its last stream: if that stream brings the answer of a call
        before the page knows the call's name, the page requests another stream.
        """
        before, self._over = self._over, {}
        stored_answers = answers_of(self._page)
        for answers in stored_answers:
            silence = self._silence(answers.session)
            if not answers.is_idle or not silence:
                continue
            if before.get(answers.session) == answers.calls and silence >= EVERY_SECONDS:
                forget(self._page, answers)
            else:
                self._over[answers.session] = answers.calls
        return bool(stored_answers)

    def keep_only(self, most: int = MAX_ANSWERS) -> None:
        """Drop results until at most `most` wait, always the first of the IP group with the most results."""
        waiting = [item for item in answers_of(self._page) if item.results]
        waiting = [item for item in waiting if self._silence(item.session)]
        excess = sum(item.results for item in waiting) - most
        if excess <= 0:
            return
        of = {item.session: self._ip_group_of(item.session) for item in waiting}
        while excess > 0:
            ip_groups = Counter[str]()
            for entry in waiting:
                ip_groups[of[entry.session]] += entry.results
            greediest = max(ip_groups, key=ip_groups.__getitem__)
            first = next(item for item in waiting if of[item.session] == greediest)
            waiting.remove(first)
            excess -= first.results
            forget(self._page, first)
