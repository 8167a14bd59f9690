"""Run all tests, the browser journeys beside the others: `python -m tests [--no-journeys] ...`.

All other arguments are options of pytest. `build/test-costs/` keeps what each test cost.

Journeys wait for pages, and some of the others for processes: both have a worker more than there are cores.
The journeys go first, and the others have what they leave of the processor.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO

JOURNEYS = "tests/browser"
NO_JOURNEYS = "--no-journeys"
COSTS = Path("build/test-costs")
NO_TEST_SELECTED = 5  # pytest's exit status
NICENESS = 4  # of a process that others precede; 10 halted workers for five minutes


def main(*options: str) -> int:
    """Run the journeys and the other tests at the same time and return the worse exit status.

    The results of the journeys are printed at the end. A run whose tests are all deselected has passed.
    """
    selection = [option for option in options if option != NO_JOURNEYS]
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log:
        runs = []
        if NO_JOURNEYS not in options:
            runs.append(start("journeys", JOURNEYS, *selection, output=log))
        runs.append(start("others", "--ignore", JOURNEYS, *selection, niceness=NICENESS))
        statuses = [run.wait() for run in runs]
        log.seek(0)
        sys.stdout.write(log.read())
    return max(0 if status == NO_TEST_SELECTED else abs(status) for status in statuses)


def start(
    name: str, *arguments: str, output: IO[str] | None = None, niceness: int = 0
) -> subprocess.Popen[bytes]:
    """Start pytest in a child process. Without `output` it prints to the terminal."""
    # With "=": before it knows the option, pytest would take the file of an earlier run for one of tests.
    settings = ("--dist", "worksteal", f"--costs={COSTS / name}.tsv", "--strict-costs")
    pytest = (sys.executable, "-m", "pytest", "--numprocesses", str(cores() + 1), *settings)
    run = subprocess.Popen([*pytest, *arguments], stdout=output, stderr=output)
    if niceness and hasattr(os, "setpriority"):
        os.setpriority(os.PRIO_PROCESS, run.pid, niceness)  # its workers inherit it
    return run


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
