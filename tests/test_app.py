"""`python app.py`: an occupied port at the start, and the end of a server that is decoding."""

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
from tests.grids import full_only

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
def test_an_occupied_port_is_named_with_a_remedy() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = str(listener.getsockname()[1])
        done = subprocess.run(
            [sys.executable, "app.py"],
            cwd=ROOT,
            env={**os.environ, "HOST": "127.0.0.1", "PORT": port},
            capture_output=True,
            text=True,
        )
    assert done.returncode == 1
    assert f"port {port}" in done.stderr
    assert "PORT=" in done.stderr
    assert "Traceback" not in done.stderr


@contextmanager
def started(runs: Path) -> Iterator[tuple[str, subprocess.Popen[bytes], IO[bytes]]]:
    """Start the server, which decodes one text at a time; yield its address, process and output."""
    port = free_port()
    url = f"http://127.0.0.1:{port}/"
    settings = {"HOST": "127.0.0.1", "PORT": str(port), "UNROLLED_RUNS": str(runs), "UNROLLED_DEADLINE": "60"}
    variables = {**os.environ, **settings, "UNROLLED_RUNNING": "1", "GRADIO_ANALYTICS_ENABLED": "False"}
    with tempfile.TemporaryFile() as log:
        command = [sys.executable, "app.py"]
        process = subprocess.Popen(command, cwd=ROOT, env=variables, stdout=log, stderr=log)
        try:
            wait_until_it_answers(url, process)
            yield url, process, log
        finally:
            process.kill()
            process.wait()


def queue_messages(stream: Iterator[str]) -> Iterator[dict[str, Any]]:
    """Yield the messages in a stream of Gradio's queue."""
    return (json.loads(line.removeprefix("data: ")) for line in stream if line)


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, *full_only([signal.SIGINT])])
def test_stopping_the_server_ends_a_search_with_its_best_output_so_far(
    tmp_path: Path, number: signal.Signals
) -> None:
    waits = {"checkpoint": "spa-eng-gru", "text": "Tengo hambre."}
    lengths = {"Minimum length": 30, "Maximum length": 60}
    search = {"Source text": "Tengo hambre.", "Strategy": "exact", "Budget": 100_000, **lengths}
    with started(tmp_path) as (url, process, log), httpx.Client(base_url=url, timeout=None) as http:
        decode = Page.read(http.get("config").json()).decode
        me = {"session_hash": "me"}
        call = {"data": decode.data(search), "fn_index": decode.number, **me}
        http.post("gradio_api/queue/join", json=call).raise_for_status()
        with http.stream("GET", "gradio_api/queue/data", params=me) as stream:
            messages = queue_messages(stream.iter_lines())
            assert any("best so far" in json.dumps(message) for message in messages)  # it searches
            event = http.post("gradio_api/call/v2/translate", json=waits).json()["event_id"]
            with http.stream("GET", f"gradio_api/call/translate/{event}") as other:
                process.send_signal(number)
                last = json.dumps([message for message in messages if message["msg"].startswith("process_")])
                refusal = other.read().decode()
        assert "shutdown" in last
        assert "this is the best so far" in last
        assert "The server is shutting down" in last
        assert "The server is shutting down, so this was not begun." in refusal
        assert process.wait() == 0
        log.seek(0)
        assert b"Traceback" not in log.read()
