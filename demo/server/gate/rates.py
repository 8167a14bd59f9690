"""How often one visitor may ask: token buckets in memory, by session and, more coarsely, by address."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum
from ipaddress import IPv6Address, ip_address
from threading import Lock

from models.lru_cache import LruCache

CLASSROOM = 30  # sessions behind one address that may each go to their limit
BURST_SECONDS = 20  # of asking at the full rate that may come at once
LEAST_BURST = 5
MAX_BUCKETS = 10_000  # remembered; whoever was away for longest is forgotten first


_TOLD: ContextVar[str] = ContextVar("told to wait", default="")


class Ask(Enum):
    """What is asked for; the value is how many times as often as a decoding it may be."""

    DECODING = 1
    SMALL = 10  # tokens while a text is typed, a card, a look at a run
    UPLOAD = 0.1


@dataclass
class _Bucket:
    tokens: float
    at: float  # when they were counted, in seconds of the clock


class Rates:
    """Whether somebody may ask once more, and how long to wait if not."""

    def __init__(
        self,
        per_minute: int,
        clock: Callable[[], float] = time.monotonic,
        max_buckets: int = MAX_BUCKETS,
    ) -> None:
        """`per_minute` decodings of one session; 0 lets everything pass."""
        self.per_minute = per_minute
        self._clock = clock
        self._buckets: LruCache[tuple[str, Ask], _Bucket] = LruCache(max_buckets)
        self._lock = Lock()

    @property
    def remembered(self) -> int:
        """How many buckets are kept."""
        return len(self._buckets)

    def wait(self, ask: Ask, session: str | None, address: str | None) -> int:
        """Seconds until it may be asked again; 0 if it may be now, and then it is counted."""
        if not self.per_minute:
            return 0
        with self._lock:
            buckets = self._buckets_of(ask, session, address)
            longest = max(((1 - bucket.tokens) / rate for bucket, rate in buckets), default=0.0)
            if longest > 0:
                return math.ceil(longest)
            for bucket, _ in buckets:
                bucket.tokens -= 1
            return 0

    def give_back(self, ask: Ask, session: str | None, address: str | None) -> None:
        """What was counted last is not asked for after all."""
        if not self.per_minute:
            return
        with self._lock:
            for bucket, _ in self._buckets_of(ask, session, address):
                bucket.tokens += 1

    def _buckets_of(self, ask: Ask, session: str | None, address: str | None) -> list[tuple[_Bucket, float]]:
        """The buckets that such a call takes from, each with its tokens a second."""
        per_second, now = self.per_minute * ask.value / 60, self._clock()
        owners = [(f"session {session}", 1)] if session else []
        owners += [(f"address {network_of(address)}", CLASSROOM)] if address else []
        rates = [(owner, share * per_second) for owner, share in owners]
        return [(self._filled(owner, ask, rate, now), rate) for owner, rate in rates]

    def _filled(self, owner: str, ask: Ask, per_second: float, now: float) -> _Bucket:
        burst = max(per_second * BURST_SECONDS, LEAST_BURST)
        bucket = self._buckets.get_or_make((owner, ask), lambda: _Bucket(burst, now))
        bucket.tokens = min(burst, bucket.tokens + per_second * (now - bucket.at))
        bucket.at = now
        return bucket


@contextmanager
def told_to_wait(message: str) -> Iterator[None]:
    """Call a handler that says itself, where its answer would be, that it is asked too often."""
    token = _TOLD.set(message)
    try:
        yield
    finally:
        _TOLD.reset(token)


def wait_message() -> str:
    """What such a handler says in place of its answer; "" where it may go on."""
    return _TOLD.get()


def tells_to_wait(handler: object) -> bool:
    """Whether a handler asks for `wait_message`; it is marked by an attribute of that name."""
    return getattr(handler, wait_message.__name__, False) is True


def network_of(address: str) -> str:
    """What stands for one household or school: an IPv4 address, the first half of an IPv6 one."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address[:64]
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is None:
        return parsed.exploded[:19]
    return str(getattr(parsed, "ipv4_mapped", None) or parsed)


def visitor_address(peer: str | None, headers: Mapping[str, str], behind_proxy: bool) -> str | None:
    """Whose request it is: the peer's, or where a proxy of ours passes it on, whom the proxy names.

    Each proxy appends its own peer, and whoever asks may write what they like before that: so the last
    address that is no inner one of the host's network counts.
    """
    if not behind_proxy:
        return peer
    for named in reversed(headers.get("x-forwarded-for", "").split(",")):
        try:
            if ip_address(named.strip()).is_global:
                return named.strip()
        except ValueError:
            continue
    return peer
