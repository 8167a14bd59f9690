"""A loop that sends random calls to a served page, one after the other, and watches the server's log."""

from __future__ import annotations

import io
import json
import logging
import socket
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from demo.page.interface import launch_settings
from demo.work.errors import UNEXPECTED_ERROR
from tests.fakes.calls import http_client, served
from tests.fakes.servers.hub_server import FakeHub
from tests.fuzz.calls import Call, Calls
from tests.fuzz.world import make_world

PATIENCE = 60.0  # seconds to wait for an answer, far more than any call takes
HEARTBEATS = 3  # heartbeats of a stream, one in 15 s, after which an answer no longer comes
FILES = {
    "pairs.tsv": "la casa\tthe house\nel gato\tthe cat\n" * 20,
    "empty.txt": "",
    "odd.csv": '"a\x00b",<b>\n\n,,,\n"never closed',
    "recipe.json": '{"name": "x", "data": {"task": "reversal"}}',
    "numbers.json": "[1e999, NaN, {}]",
}


@dataclass(frozen=True)
class Failure:
    """A call that failed."""

    number: int
    call: str
    problems: str

    def __str__(self) -> str:
        return f"Call {self.number}, {self.call}\n{self.problems[-3000:]}"


@dataclass
class Outcome:
    """All failures, and the counts of each status by kind of call."""

    failures: list[Failure] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)

    def note(self, number: int, call: str, *problems: str) -> None:
        """Record a call as failed if there are any problems."""
        if any(problems):
            self.failures.append(Failure(number, call, "\n".join(filter(None, problems))))

    def summary(self) -> str:
        """Return the counts in one line."""
        return ", ".join(f"{what}: {count}" for what, count in sorted(self.statuses.items()))


class Log(logging.Handler, io.TextIOBase):  # type: ignore[misc]
    """Logged errors and printed tracebacks since the last `take`."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self._noted: list[str] = []
        self._printed: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self._noted.append(self.format(record))

    def write(self, text: str) -> int:
        """Receive text that is printed to stderr."""
        self._printed.append(text)
        return len(text)

    def take(self) -> str:
        """Return and clear the errors since the last call; "" if there are none."""
        noted, printed = "\n".join(self._noted), "".join(self._printed)
        self._noted, self._printed = [], []
        return "\n".join(filter(None, (noted, printed if "Traceback" in printed else "")))


def drive(seed: int, count: int, folder: Path, hub: FakeHub) -> Outcome:
    """Make `count` calls of a page that keeps its files in `folder`."""
    world, outcome = make_world(folder, hub), Outcome()
    with _watched() as log:
        with (
            served(world.page, **launch_settings(uploads=True)) as url,
            http_client(f"{url}gradio_api/", timeout=PATIENCE) as http,
        ):
            calls = Calls(seed, world, [_uploaded(http, *file) for file in FILES.items()])
            for number in range(count):
                call = calls.draw()
                outcome.note(number, str(call), _make_call(http, call, calls, outcome), log.take())
            world.context.end_work(PATIENCE)
        outcome.note(count, "work in progress at the end", log.take())
    return outcome


def _make_call(http: httpx.Client, call: Call, calls: Calls, outcome: Outcome) -> str:
    """Make a call and return the problem with its answer, or ""."""
    try:
        status, text = _answer(http, call)
    except httpx.HTTPError as error:
        return f"no answer: {error!r}"
    outcome.statuses[f"{call.kind} {status}"] += 1
    if status >= 500 or UNEXPECTED_ERROR in text:
        return f"status {status}: {text[:1000]}"
    with suppress(ValueError):
        calls.learn(json.loads(text))
    return ""


def _answer(http: httpx.Client, call: Call) -> tuple[int, str]:
    """Return the status and the last message of an answer."""
    answer = http.post(call.path, json=call.body)
    event = answer.json().get("event_id") if answer.status_code == 200 and call.kind != "function" else None
    if not event:
        return answer.status_code, answer.text
    if call.kind == "endpoint":
        stream = http.get(f"{call.path.replace('v2/', '')}/{event}").text
        return 200, stream.strip().rsplit("data: ", 1)[-1]
    return 200, _last_of_stream(http, call, event)


def _last_of_stream(http: httpx.Client, call: Call, event: str) -> str:
    query, heartbeats = {"session_hash": call.body["session_hash"]}, 0
    with http.stream("GET", "queue/data", params=query) as stream:
        for line in stream.iter_lines():
            message = json.loads(line.removeprefix("data: ")) if line.startswith("data: ") else {}
            heartbeats += message.get("msg") == "heartbeat"
            if heartbeats >= HEARTBEATS:
                break
            if message.get("msg") in {"process_completed", "unexpected_error"}:
                output = message.get("output") or {}
                data = output.get("data") or [output]
                return json.dumps(next((item for item in data if isinstance(item, dict)), output))
    raise httpx.ReadError(f"the answer of {event} does not come")


def _uploaded(http: httpx.Client, name: str, text: str) -> dict[str, Any]:
    """Upload a file and return it in the form in which a page sends it with a call."""
    path = http.post("upload", files={"files": (name, text.encode())}).raise_for_status().json()[0]
    return {"path": path, "orig_name": name, "meta": {"_type": "gradio.FileData"}}


@contextmanager
def _watched() -> Iterator[Log]:
    """Collect what the server logs and prints, and refuse connections to other machines."""
    log, stderr, connect = Log(), sys.stderr, socket.socket.connect
    loggers = [logging.getLogger(name) for name in ("", "uvicorn", "uvicorn.error")]

    def connect_here(connection: socket.socket, address: Any) -> None:
        if isinstance(address, tuple) and address[0] not in {"127.0.0.1", "localhost", "::1"}:
            raise OSError(f"{address[0]} is another machine")
        connect(connection, address)

    for logger in loggers:
        logger.addHandler(log)
    sys.stderr, socket.socket.connect = log, connect_here  # type: ignore[assignment, method-assign]
    try:
        yield log
    finally:
        sys.stderr, socket.socket.connect = stderr, connect  # type: ignore[method-assign]
        for logger in loggers:
            logger.removeHandler(log)
