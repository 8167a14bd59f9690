"""Run all tests, the browser journeys beside the others: `python -m tests [--no-journeys] ...`.

All other arguments are options of pytest.

Journeys wait for pages, other tests for child processes. Each of the two runs has a worker process for every
core, so that one computes while the other waits.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from typing import IO

JOURNEYS = "tests/browser"
NO_JOURNEYS = "--no-journeys"
PYTEST = (sys.executable, "-m", "pytest", "--numprocesses", "logical", "--dist", "worksteal")
NO_TEST_SELECTED = 5  # pytest's exit status


def start(*arguments: str, output: IO[str] | None = None) -> subprocess.Popen[bytes]:
    """Start pytest in a child process. Without `output` it prints to the terminal."""
    return subprocess.Popen([*PYTEST, *arguments], stdout=output, stderr=output)


def main(*options: str) -> int:
    """Run the journeys and the other tests at the same time and return the worse exit status.

    The results of the journeys are printed at the end. A run whose tests are all deselected has passed.
    """
    selection = [option for option in options if option != NO_JOURNEYS]
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log:
        runs = [start("--ignore", JOURNEYS, *selection)]
        if NO_JOURNEYS not in options:
            runs.append(start(JOURNEYS, *selection, output=log))
        statuses = [run.wait() for run in runs]
        log.seek(0)
        sys.stdout.write(log.read())
    return max(0 if status == NO_TEST_SELECTED else abs(status) for status in statuses)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
