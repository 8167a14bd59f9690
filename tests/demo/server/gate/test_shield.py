"""The layer before Gradio, alone: bodies that are too large, too slow or too many."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from starlette.datastructures import Headers

from demo.server.gate.rates import Rates
from demo.server.gate.shield import (
    BROKEN_OFF,
    BUSY,
    DISK_FULL,
    MAX_INCOMPLETE_OF_ONE,
    NOT_FOUND,
    TOO_LARGE,
    TOO_SLOW,
    Pace,
    Shield,
)
from demo.work.operator.settings import ServerSettings
from tests.fakes.simulated_time import SimulatedTime


async def nothing(scope: Any, receive: Any, send: Any) -> None:
    """An app that answers 200 with the size of what it read."""
    size = 0
    while True:
        message = await receive()
        size += len(message.get("body", b""))
        if not message.get("more_body"):
            break
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(size).encode()})


async def response_of(
    shield: Shield, scope: Any, pieces: Sequence[bytes] = (), **more: Any
) -> tuple[int, str]:
    """Status and body of a request through the shield alone, from `receive`, or `pieces` with a `pause`."""
    waiting, answers = list(pieces), []

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(more.get("pause", 0.0))
        return {"type": "http.request", "body": waiting.pop(0), "more_body": bool(waiting)}

    async def send(message: Any) -> None:
        answers.append(message)

    await shield(scope, more.get("receive", receive), send)
    return answers[0]["status"], answers[1]["body"].decode()


TIME = SimulatedTime()


@pytest.fixture(autouse=True)
def simulated_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("demo.server.gate.shield.time", TIME)


def ask_shield(shield: Shield, path: str, pieces: list[bytes], pause: float = 0.0) -> tuple[int, str]:
    """One POST through the shield alone, in pieces."""
    scope = {"type": "http", "method": "POST", "path": path, "headers": [], "client": ("192.0.2.1", 1)}
    return TIME.run(response_of(shield, scope, pieces, pause=pause))


def test_a_body_that_trickles_in_is_dropped() -> None:
    shield = Shield(nothing, pace=Pace(seconds=0.2))
    assert ask_shield(shield, "/gradio_api/queue/join", [b"x"] * 100, pause=0.02) == TOO_SLOW
    assert ask_shield(shield, "/gradio_api/queue/join", [b"x"] * 3) == (200, "3")


def test_a_body_must_arrive_at_the_minimum_rate() -> None:
    """A client that rarely sends a byte is refused early; a slow but steady one is not."""
    shield = Shield(nothing, pace=Pace(grace=0.2))
    assert ask_shield(shield, "/gradio_api/queue/join", [b"x"] * 100, pause=0.02) == TOO_SLOW
    assert ask_shield(shield, "/gradio_api/queue/join", [b"x" * 400] * 25, pause=0.02) == (200, "10000")


def test_the_bodies_in_transit_of_one_address_are_bounded() -> None:
    shield = Shield(nothing)
    scope = {"type": "http", "method": "POST", "path": "/gradio_api/queue/join", "headers": []}

    async def never() -> Any:
        await asyncio.Event().wait()

    async def both() -> list[tuple[int, str]]:
        # A household may use any number of IPv6 addresses.
        slow = [
            asyncio.create_task(
                response_of(shield, {**scope, "client": (f"2001:db8::{n}", 1)}, receive=never)
            )
            for n in range(1, MAX_INCOMPLETE_OF_ONE + 1)
        ]
        await asyncio.sleep(0.01)
        result = [
            await response_of(shield, {**scope, "client": (address, 1)}, [b"x"])
            for address in ("2001:db8::ffff", "192.0.2.1")
        ]
        for task in slow:
            task.cancel()
        await asyncio.gather(*slow, return_exceptions=True)
        return [*result, await response_of(shield, {**scope, "client": ("2001:db8::ffff", 1)}, [b"x"])]

    assert TIME.run(both()) == [BUSY, (200, "1"), (200, "1")]


def test_bodies_of_all_visitors_together_are_bounded_and_forgotten_afterwards() -> None:
    shield = Shield(nothing, max_body_bytes=100, max_upload_bytes=100)

    async def flood(per_address: int) -> list[int]:
        gate, statuses = asyncio.Event(), []

        async def one(number: int) -> None:
            sent = iter([{"type": "http.request", "body": b"x" * 90, "more_body": True}])

            async def receive() -> Any:
                for message in sent:
                    return message
                await gate.wait()
                return {"type": "http.request", "body": b"", "more_body": False}

            async def send(message: Any) -> None:
                if message["type"] == "http.response.start":
                    statuses.append(message["status"])

            client = (f"192.0.2.{number // per_address}", 1)
            scope = {"type": "http", "method": "POST", "path": "/gradio_api/upload", "headers": []}
            await shield({**scope, "client": client}, receive, send)

        tasks = [asyncio.create_task(one(number)) for number in range(8)]
        await asyncio.sleep(0.05)
        # Files that never end keep nobody from clicking.
        scope = {"type": "http", "method": "POST", "path": "/gradio_api/queue/join", "headers": []}
        assert await response_of(shield, scope, [b"x" * 90]) == (200, "90")
        gate.set()
        await asyncio.gather(*tasks)
        return sorted(statuses)

    assert TIME.run(flood(per_address=1)) == [200] * 4 + [BUSY[0]] * 4
    assert TIME.run(flood(per_address=8)) == [200] * 2 + [BUSY[0]] * 6, "one address has half of the room"
    assert ask_shield(shield, "/gradio_api/upload", [b"x" * 90]) == (200, "90")


def test_a_long_call_to_cancel_or_reset_is_refused() -> None:
    """Gradio would copy a large one three times, and delay all other visitors meanwhile."""
    shield = Shield(nothing)
    for path in ("/gradio_api/cancel", "/gradio_api/reset", "/gradio_api/reset/"):
        assert ask_shield(shield, path, [b"x" * 500]) == (200, "500")
        assert ask_shield(shield, path, [b"x" * 3000] * 2) == TOO_LARGE


def test_an_interrupted_body_leaves_no_traceback() -> None:
    """Gradio would parse the incomplete body and print a traceback."""
    messages = iter([{"type": "http.request", "body": b"x", "more_body": True}, {"type": "http.disconnect"}])

    async def receive() -> Any:
        return next(messages)

    scope = {"type": "http", "method": "POST", "path": "/gradio_api/queue/join", "headers": []}
    assert TIME.run(response_of(Shield(nothing), scope, receive=receive)) == BROKEN_OFF


def test_a_refused_requests_body_is_not_awaited() -> None:
    async def receive() -> Any:
        raise AssertionError("the body was read")

    for shield, path, refusal in (
        (Shield(nothing), "/gradio_api/vibe-code", NOT_FOUND),
        (Shield(nothing, max_upload_bytes=0), "/gradio_api/upload", NOT_FOUND),
        (Shield(nothing, spare_disk=1 << 62), "/gradio_api/upload", DISK_FULL),
    ):
        scope = {"type": "http", "method": "POST", "path": path, "headers": [], "client": ("192.0.2.1", 1)}
        assert TIME.run(response_of(shield, scope, receive=receive)) == refusal


@pytest.mark.parametrize("path", ["/gradio_api/upload", "/gradio_api/mcp/"])
def test_requests_without_a_handler_are_limited_too(path: str) -> None:
    shield = Shield(nothing, rates=Rates(1, lambda: 0.0))
    answers = [ask_shield(shield, path, [b"x"]) for _ in range(20)]
    assert answers[0] == (200, "1")
    assert answers[-1][0] == 429
    assert "Wait" in answers[-1][1]


def test_a_named_site_may_show_the_page_in_a_frame() -> None:
    starts: list[Any] = []

    async def send(message: Any) -> None:
        starts.append(message)

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b""}

    shield = Shield(nothing, server=ServerSettings(frames=("lms.test",)))
    scope = {"type": "http", "method": "GET", "path": "/", "headers": []}
    TIME.run(shield(scope, receive, send))
    policy = Headers(raw=starts[0]["headers"])["content-security-policy"]
    assert (
        policy.split("; ")[-1] == "frame-ancestors 'self' https://huggingface.co https://*.hf.space lms.test"
    )
