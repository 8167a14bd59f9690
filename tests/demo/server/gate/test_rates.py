"""Token buckets: the rates of a session and of an address."""

from __future__ import annotations

import pytest

from demo.server.gate.rates import CLASSROOM_SESSIONS, CallKind, Rates, ip_group_of, visitor_address


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def granted(
    rates: Rates, kind: CallKind, session: str | None, address: str | None, times: int = 10_000
) -> int:
    """The number of simultaneous calls that pass."""
    return sum(rates.wait(kind, session, address) == 0 for _ in range(times))


def test_a_burst_passes_before_one_call_a_second() -> None:
    clock = Clock()
    rates = Rates(60, clock)
    assert granted(rates, CallKind.DECODING, "me", "192.0.2.1") == 20
    assert rates.wait(CallKind.DECODING, "me", "192.0.2.1") == 1
    clock.now += 0.5
    assert rates.wait(CallKind.DECODING, "me", "192.0.2.1") == 1
    clock.now += 0.5
    assert granted(rates, CallKind.DECODING, "me", "192.0.2.1", 5) == 1
    clock.now += 3600
    assert granted(rates, CallKind.DECODING, "me", "192.0.2.1", 100) == 20


def test_the_stated_wait_is_long_enough() -> None:
    clock = Clock()
    rates = Rates(7, clock)
    while not (seconds := rates.wait(CallKind.DECODING, "me", None)):
        pass
    assert seconds == 9
    clock.now += seconds
    assert rates.wait(CallKind.DECODING, "me", None) == 0


@pytest.mark.slow
def test_small_calls_have_ten_times_the_rate_of_decodings_and_do_not_count_as_such() -> None:
    rates = Rates(60, Clock())
    assert granted(rates, CallKind.SMALL, "me", "192.0.2.1") == 200
    assert granted(rates, CallKind.DECODING, "me", "192.0.2.1") == 20


def test_every_pupil_behind_one_address_may_reach_the_limit() -> None:
    clock = Clock()
    rates = Rates(60, clock)
    for _ in range(3):
        passed = [
            granted(rates, CallKind.DECODING, f"pupil {number}", "192.0.2.1", 20) for number in range(30)
        ]
        assert passed == [20] * 30
        clock.now += 20


def test_new_sessions_for_each_call_share_the_limit_of_the_address() -> None:
    rates = Rates(60, Clock())
    passed = sum(rates.wait(CallKind.DECODING, f"session {n}", "192.0.2.1") == 0 for n in range(5000))
    assert passed == 20 * CLASSROOM_SESSIONS
    assert rates.wait(CallKind.DECODING, "somebody", "192.0.2.2") == 0


def test_a_refusal_for_the_address_does_not_use_up_the_session() -> None:
    clock = Clock()
    rates = Rates(60, clock)
    granted(rates, CallKind.DECODING, None, "192.0.2.1")
    assert granted(rates, CallKind.DECODING, "me", "192.0.2.1", 50) == 0
    assert granted(rates, CallKind.DECODING, "me", "192.0.2.2", 50) == 20


def test_a_rate_of_zero_is_no_limit() -> None:
    rates = Rates(0, Clock())
    assert granted(rates, CallKind.DECODING, "me", "192.0.2.1") == 10_000
    assert rates.remembered == 0


def test_a_flood_of_sessions_is_forgotten_and_the_flooding_address_remembered() -> None:
    rates = Rates(60, Clock(), max_buckets=100)
    passed = sum(rates.wait(CallKind.DECODING, f"session {n}", "192.0.2.1") == 0 for n in range(5000))
    assert rates.remembered == 100
    assert passed == 20 * CLASSROOM_SESSIONS


@pytest.mark.parametrize(
    ("address", "ip_group"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:0db8:0001:0002"),
        ("testclient", "testclient"),
        ("x" * 500, "x" * 64),
    ],
)
def test_addresses_of_one_household_count_as_one(address: str, ip_group: str) -> None:
    assert ip_group_of(address) == ip_group


@pytest.mark.parametrize(
    ("forwarded", "behind_proxy", "address"),
    [
        ("8.8.8.8", False, "10.0.0.1"),  # anybody may write that
        ("8.8.8.8", True, "8.8.8.8"),
        ("1.2.3.4, 8.8.8.8", True, "8.8.8.8"),  # the visitor wrote the first
        ("8.8.8.8, 10.1.2.3, 192.168.0.1", True, "8.8.8.8"),
        ("nonsense, 127.0.0.1", True, "10.0.0.1"),
        ("", True, "10.0.0.1"),
    ],
)
def test_a_forwarded_address_counts_behind_a_proxy_alone(
    forwarded: str, behind_proxy: bool, address: str
) -> None:
    assert visitor_address("10.0.0.1", {"x-forwarded-for": forwarded}, behind_proxy) == address
