"""A program under `torchrun`, in two processes, as a person would start it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def torchrun(module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A module in two processes, when both have ended."""
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    return subprocess.run(
        [*command, "-m", module, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=300
    )


def run_in_two(module: str, *arguments: str) -> None:
    """A program that must succeed, and whose group of processes no thread may outlive.

    One that lets go of a tensor while the interpreter ends would abort the process. Only Linux names threads.
    """
    done = torchrun("tests.fakes.group_threads", module, *arguments)
    assert done.returncode == 0, done.stderr[-2000:]
    told = re.findall(r"threads: \[(.*)\] then \[(.*)\]", done.stderr)
    assert len(told) == 2
    if sys.platform == "linux":
        for before, after in told:
            assert "gloo" in before
            assert after == ""
