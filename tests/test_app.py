"""`python app.py` as somebody starts it who has made a mistake."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

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
    assert (
        f"port {port}: the port is taken, or the host is not this machine's. Choose another: PORT="
        in done.stderr
    )
    assert "Traceback" not in done.stderr
