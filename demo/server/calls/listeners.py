"""Who listens to the answers of calls through Gradio's queue: which streams are open, which were closed."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from models.lru_cache import LruCache

GRACE_SECONDS = 5.0  # from a call to the stream that fetches its answer; a program asks for it separately
REMEMBERED = 10_000  # sessions whose last stream has ended


@dataclass(frozen=True)
class _Ended:
    """The last stream of a session that ended."""

    at: float  # by the clock
    left_at: float  # when one was last closed before its end; long ago if none ever was


NEVER = _Ended(float("-inf"), float("-inf"))


class Listeners:
    """The streams of one page's visitors, by session. One thread writes, any may read."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` as Gradio's queue measures when a call came."""
        self.clock = clock
        self._open: Counter[str] = Counter()
        self._ended: LruCache[str, _Ended] = LruCache(REMEMBERED)  # by session

    @property
    def open(self) -> int:
        """How many streams are open now."""
        return self._open.total()

    def is_open(self, session: str) -> bool:
        """Whether somebody reads a stream of the session now."""
        return session in self._open

    async def follow(self, session: str, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a stream of this session by `app`, and remember whether it was read to its end."""
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
            self.ended(session, left=cut or not whole)

    def ended(self, session: str, left: bool) -> None:
        """A stream is over; `left`: whoever read it went before its end."""
        self._open[session] -= 1
        if self._open[session] <= 0:
            del self._open[session]
        before, now = self._last_end(session), self.clock()
        self._ended[session] = _Ended(now, now if left else before.left_at)

    def of(self, session: str, asked: float) -> Caller:
        """Whoever made a call at that time, by the clock."""
        return Caller(self, session, asked)

    def has_left(self, session: str, asked: float) -> bool:
        """Whether a stream that could bring the answer was closed before its end."""
        return self._last_end(session).left_at >= asked

    def is_absent(self, session: str, asked: float) -> bool:
        """Whether that, or no stream was opened in time."""
        if self.has_left(session, asked):
            return True
        waited = self.clock() - max(asked, self._last_end(session).at)
        return session not in self._open and waited > GRACE_SECONDS

    def _last_end(self, session: str) -> _Ended:
        return self._ended.get(session) or NEVER


@dataclass(frozen=True)
class Caller:
    """See `demo.requests.listener.Listener`."""

    listeners: Listeners
    session: str
    asked: float

    def is_absent(self) -> bool:
        """See `Listeners.is_absent`."""
        return self.listeners.is_absent(self.session, self.asked)
