"""A command under `torchrun` that says in the end which threads of its group of processes still run.

`python -m tests.fakes.group_threads MODULE ARGUMENTS` runs `python -m MODULE ARGUMENTS`, on Linux.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

from torch import distributed


def gloo_threads() -> list[str]:
    """Names of this process's threads that exchange tensors."""
    names = [path.read_text().strip() for path in Path("/proc/self/task").glob("*/comm")]
    return sorted(name for name in names if "gloo" in name)


def main() -> None:
    """Prints the threads before the group's end and at the command's, and ends as the command did."""
    end, before = distributed.destroy_process_group, list[str]()

    def spy() -> None:
        before.extend(gloo_threads())
        end()

    distributed.destroy_process_group = spy
    sys.argv = sys.argv[1:]
    try:
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    finally:
        sys.stderr.write(f"threads: {before} then {gloo_threads()}\n")


if __name__ == "__main__":
    main()
