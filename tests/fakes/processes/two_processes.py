"""Programs in two processes under `torchrun`, started as on a command line."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


def torchrun(module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a module in two processes and wait for both."""
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    return subprocess.run([*command, "-m", module, *arguments], cwd=ROOT, capture_output=True, text=True)


def run_in_two(module: str, *arguments: str) -> None:
    """Run a program that must succeed and leave no thread of its process group behind.

    A thread that frees a tensor while the interpreter ends would abort the process. Only Linux names threads.
    """
    done = torchrun("tests.fakes.processes.group_threads", module, *arguments)
    assert done.returncode == 0, done.stderr[-2000:]
    reports = re.findall(r"threads: \[(.*)\] then \[(.*)\]", done.stderr)
    assert len(reports) == 2
    if sys.platform == "linux":
        for before, after in reports:
            assert "gloo" in before
            assert after == ""
