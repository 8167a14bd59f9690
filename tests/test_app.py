"""`python app.py`: a mistake at its start, and its end."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import httpx
import pytest

from tests.benchmarks.serving import wait_until_it_answers
from tests.benchmarks.visitor import Page
from tests.browser.conftest import free_port
from tests.grids import rest

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
def test_a_port_that_is_taken_is_named_with_a_remedy() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = subprocess.run(
            [sys.executable, "app.py"],
            cwd=ROOT,
            env={**os.environ, "HOST": "127.0.0.1", "PORT": port},
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert done.returncode == 1
    assert f"port {port}" in done.stderr
    assert "PORT=" in done.stderr
    assert "Traceback" not in done.stderr


@contextmanager
def started(runs: Path) -> Iterator[tuple[str, subprocess.Popen[bytes], IO[bytes]]]:
    """The address, the process and what it prints; one decoding at a time."""
    port = free_port()
    url = f"http://127.0.0.1:{port}/"
    own = {"HOST": "127.0.0.1", "PORT": str(port), "UNROLLED_RUNS": str(runs), "UNROLLED_DEADLINE": "60"}
    variables = {**os.environ, **own, "UNROLLED_RUNNING": "1", "GRADIO_ANALYTICS_ENABLED": "False"}
    with tempfile.TemporaryFile() as log:
        command = [sys.executable, "app.py"]
        process = subprocess.Popen(command, cwd=ROOT, env=variables, stdout=log, stderr=log)
        try:
            wait_until_it_answers(url, process)
            yield url, process, log
        finally:
            process.kill()
            process.wait()


def said(stream: Iterator[str]) -> Iterator[dict[str, Any]]:
    """The messages of a stream of Gradio's queue."""
    return (json.loads(line.removeprefix("data: ")) for line in stream if line)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, *rest([signal.SIGINT])])
def test_who_decodes_while_the_server_is_stopped_gets_their_best_so_far(
    tmp_path: Path, number: signal.Signals
) -> None:
    waits = {"checkpoint": "spa-eng-gru", "text": "Tengo hambre."}
    lengths = {"Minimum length": 30, "Maximum length": 60}
    search = {"Source text": "Tengo hambre.", "Strategy": "exact", "Budget": 100_000, **lengths}
    with started(tmp_path) as (url, process, log), httpx.Client(base_url=url, timeout=60) as http:
        decode = Page.read(http.get("config").json()).decode
        me = {"session_hash": "me"}
        call = {"data": decode.data(search), "fn_index": decode.number, **me}
        http.post("gradio_api/queue/join", json=call).raise_for_status()
        with http.stream("GET", "gradio_api/queue/data", params=me) as stream:
            messages = said(stream.iter_lines())
            assert any("best so far" in json.dumps(message) for message in messages)  # it searches
            event = http.post("gradio_api/call/v2/translate", json=waits).json()["event_id"]
            with http.stream("GET", f"gradio_api/call/translate/{event}") as other:
                process.send_signal(number)
                last = json.dumps([message for message in messages if message["msg"].startswith("process_")])
                told = other.read().decode()
        assert "shutdown" in last
        assert "this is the best so far" in last
        assert "The server is shutting down" in last
        assert "The server is shutting down, so this was not begun." in told
        assert process.wait(timeout=60) == 0
        log.seek(0)
        assert b"Traceback" not in log.read()
