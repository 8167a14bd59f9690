"""`python app.py`: addresses at which it can or cannot serve, and the end of a server that is decoding."""

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

import gradio as gr
import pytest

import app
from demo.work.operator.settings import ServerSettings
from tests.benchmarks.serving import wait_until_it_answers
from tests.benchmarks.visitor import Page
from tests.browser.conftest import free_port
from tests.fakes.calls import http_client
from tests.grids import full_only

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("flags", "variables", "problem"),
    [
        (["--port", "80000"], {}, "PORT must be a whole number from 1 to 65,535; got '80000'."),
        (["--port", "-1"], {}, "PORT must be a whole number from 1 to 65,535; got '-1'."),
        (["--port", "x"], {}, "PORT must be a whole number from 1 to 65,535; got 'x'."),
        ([], {"PORT": "0"}, "PORT must be a whole number from 1 to 65,535; got '0'."),
        ([], {"GRADIO_ROOT_PATH": "unrolled"}, "GRADIO_ROOT_PATH must be a path, such as /unrolled; got "),
        ([], {"UNROLLED_FRAMES": "https://a.test"}, "UNROLLED_FRAMES must be names of hosts"),
    ],
    ids=str,
)
def test_an_address_that_cannot_be_is_refused_with_a_sentence(
    flags: list[str], variables: dict[str, str], problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "argv", ["app.py", *flags])
    with pytest.raises(SystemExit) as end:
        app.main()
    assert str(end.value).startswith(problem)


def test_a_folder_whose_name_the_locale_cannot_read_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """LC_ALL=C with PYTHONUTF8=0 makes such a locale, in which Gradio would end in a traceback."""
    monkeypatch.setattr(sys, "getfilesystemencoding", lambda: "ascii")
    monkeypatch.setattr(app, "__file__", "/srv/gr\udcc3\udcb6\udcc3\udc9fe/app.py")
    with pytest.raises(SystemExit, match="Try: PYTHONUTF8=1"):
        app.main()


def has_ipv6() -> bool:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


@pytest.mark.slow
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0.0.0.0", "::1", "[::1]", "::"])
def test_the_own_address_needs_no_proxy(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The proxy that the environment names answers nothing; `no_proxy` leaves out this machine."""
    if ":" in host and not has_ipv6():
        pytest.skip("this machine has no IPv6")
    for name in ("http_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "a.test")
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "10.0.0.5")
    with gr.Blocks() as blocks:
        gr.Button()
    app.launch(blocks, ServerSettings(host, free_port()), {"quiet": True})
    blocks.close(verbose=False)
    assert blocks.server.config.forwarded_allow_ips == "10.0.0.5"
    assert os.environ["no_proxy"].startswith("a.test,")


@pytest.mark.slow
@pytest.mark.parametrize("host", ["203.0.113.1", "a b", "a..b", "http://127.0.0.1", "::1::"])
def test_a_host_of_another_machine_is_named_with_a_remedy(host: str) -> None:
    with gr.Blocks() as blocks, pytest.raises(SystemExit) as end:
        app.launch(blocks, ServerSettings(host, free_port()), {"quiet": True})
    assert str(end.value).startswith(f"Cannot serve on {host}, port ")
    assert "PORT=" in str(end.value)


def test_an_occupied_port_is_named_with_a_remedy() -> None:
    with gr.Blocks() as blocks, socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(SystemExit) as end:
            app.launch(blocks, ServerSettings(port=port), {"quiet": True})
    assert str(port) in str(end.value)
    assert "PORT=" in str(end.value)


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


def stream_messages(stream: Iterator[str]) -> Iterator[dict[str, Any]]:
    """Yield the messages of a stream of events."""
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
    with started(tmp_path) as (url, process, log), http_client(url, timeout=None) as http:
        page = Page.read(http.get("config").json())
        call = {"data": page.decode.data(search), "component_id": page.trace, "fn_name": "begin_decoding"}
        first = http.post("gradio_api/component_server", json={**call, "session_hash": "me"}).json()
        with http.stream("GET", first["address"]) as stream:
            states = stream_messages(stream.iter_lines())
            assert any("best so far" in state["progress"] for state in states)  # it searches
            event = http.post("gradio_api/call/v2/translate", json=waits).json()["event_id"]
            with http.stream("GET", f"gradio_api/call/translate/{event}") as other:
                process.send_signal(number)
                *_, last = states
                refusal = other.read().decode()
        assert "this is the best so far" in json.dumps(last)
        assert "The server is shutting down" in json.dumps(last)
        assert "The server is shutting down, so this was not begun." in refusal
        assert process.wait() == 0
        log.seek(0)
        assert b"Traceback" not in log.read()
