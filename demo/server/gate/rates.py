"""Rate limits: token buckets in memory, by session and, more generously, by address."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from ipaddress import IPv6Address, ip_address
from threading import Lock

from models.lru_cache import LruCache

CLASSROOM_SESSIONS = 30  # sessions behind one address that may each go to their limit
BURST_SECONDS = 20  # seconds of calls at the full rate that may come at once
MIN_BURST = 5
MAX_BUCKETS = 10_000  # buckets in memory; the least recently used goes first


class CallKind(Enum):
    """A kind of call; its value is its rate as a multiple of the rate of decodings."""

    DECODING = 1
    SMALL = 10  # tokens while a text is typed, a card, the status of a run
    UPLOAD = 0.1


@dataclass
class _Bucket:
    tokens: float
    counted: float  # the clock's time when the tokens were counted


class Rates:
    """The buckets of all visitors."""

    def __init__(
        self, per_minute: int, clock: Callable[[], float] = time.monotonic, max_buckets: int = MAX_BUCKETS
    ) -> None:
        """`per_minute` is the number of decodings of one session; 0 sets no limit."""
        self.per_minute = per_minute
        self._clock = clock
        self._buckets: LruCache[tuple[str, CallKind], _Bucket] = LruCache(max_buckets)
        self._lock = Lock()

    @property
    def remembered(self) -> int:
        """The number of buckets."""
        return len(self._buckets)

    def wait(self, kind: CallKind, session: str | None, address: str | None) -> int:
        """The seconds until the call is allowed; 0 if it is allowed now, and then it is counted."""
        if not self.per_minute:
            return 0
        with self._lock:
            buckets = self._buckets_of(kind, session, address)
            longest = max(((1 - bucket.tokens) / rate for bucket, rate in buckets), default=0.0)
            if longest > 0:
                return math.ceil(longest)
            for bucket, _ in buckets:
                bucket.tokens -= 1
            return 0

    def _buckets_of(
        self, kind: CallKind, session: str | None, address: str | None
    ) -> list[tuple[_Bucket, float]]:
        """The buckets that a call takes from, each with its tokens per second."""
        per_second, now = self.per_minute * kind.value / 60, self._clock()
        owners = [(f"session {session}", 1)] if session else []
        owners += [(f"address {ip_group_of(address)}", CLASSROOM_SESSIONS)] if address else []
        rates = [(owner, share * per_second) for owner, share in owners]
        return [(self._fill_bucket(owner, kind, rate, now), rate) for owner, rate in rates]

    def _fill_bucket(self, owner: str, kind: CallKind, per_second: float, now: float) -> _Bucket:
        burst = max(per_second * BURST_SECONDS, MIN_BURST)
        bucket = self._buckets.get_or_make((owner, kind), lambda: _Bucket(burst, now))
        bucket.tokens = min(burst, bucket.tokens + per_second * (now - bucket.counted))
        bucket.counted = now
        return bucket


def ip_group_of(address: str) -> str:
    """The IP group of a household or school: an IPv4 address, or the first half of an IPv6 address."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address[:64]
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is None:
        return parsed.exploded[:19]
    return str(getattr(parsed, "ipv4_mapped", None) or parsed)


def visitor_address(peer: str | None, headers: Mapping[str, str], behind_proxy: bool) -> str | None:
    """The address that a request comes from: the peer, or behind our proxy the address that the proxy names.

    Each proxy appends its peer, and a client may write anything before that. So the last address outside the
    host's IP group counts.
    """
    if not behind_proxy:
        return peer
    for address in reversed(headers.get("x-forwarded-for", "").split(",")):
        try:
            if ip_address(address.strip()).is_global:
                return address.strip()
        except ValueError:
            continue
    return peer
