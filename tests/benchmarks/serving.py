"""The app as a child process on a free port."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.browser.conftest import ROOT, free_port


@dataclass(frozen=True)
class Server:
    """The address and process id of a server."""

    url: str
    pid: int


@contextmanager
def serving(*arguments: str, **variables: str) -> Iterator[Server]:
    """Run `python` with these arguments and environment variables; yield once it answers."""
    port = free_port()
    url = f"http://127.0.0.1:{port}/"
    environment = {**os.environ, "PORT": str(port), "HOST": "127.0.0.1", "GRADIO_ANALYTICS_ENABLED": "False"}
    with tempfile.TemporaryFile() as log:
        command = [sys.executable, *arguments]
        process = subprocess.Popen(
            command, cwd=Path(ROOT), env={**environment, **variables}, stdout=log, stderr=log
        )
        try:
            wait_until_it_answers(url, process)
            yield Server(url, process.pid)
        finally:
            process.terminate()
            process.wait(timeout=30)
            log.seek(0)
            if b"Traceback" in (printed := log.read()):
                raise RuntimeError(f"the app printed a traceback:\n{printed.decode(errors='replace')}")


def wait_until_it_answers(url: str, process: subprocess.Popen[bytes]) -> None:
    """Wait for the first answer. Raises RuntimeError if the process ends or takes longer than a minute."""
    for _ in range(6000):
        try:
            with urllib.request.urlopen(url, timeout=10) as response:
                if response.status == 200 and response.read():
                    return
        except OSError:
            if process.poll() is not None:
                raise RuntimeError(f"the app ended with exit code {process.returncode}") from None
        time.sleep(0.01)
    raise RuntimeError("the app did not answer within a minute")
