"""A command for `torchrun` that reports which threads of its process group still run at the end.

`python -m tests.fakes.processes.group_threads MODULE ARGUMENTS` runs `python -m MODULE ARGUMENTS`, on Linux.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

from torch import distributed


def gloo_threads() -> list[str]:
    """Return the names of this process's threads that exchange tensors."""
    names = [path.read_text().strip() for path in Path("/proc/self/task").glob("*/comm")]
    return sorted(name for name in names if "gloo" in name)


def main() -> None:
    """Run the command; print the threads before the group is destroyed and at the end of the command."""
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
