"""A Space with ZeroGPU on a machine without a GPU: the real package `spaces` schedules, forks and pickles.

Its emulation of CUDA is left out, as the package itself does in programs without torch. It reads its
environment when it is imported, so this is a process of its own: `python -m` with a folder as argument
trains a run there, until it ends.
"""

from __future__ import annotations

import base64
import sys
import time
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace


def import_spaces() -> None:
    """Import the package as if there were no torch."""
    sys.modules["torch"] = None  # type: ignore[assignment]
    import spaces  # noqa: F401

    del sys.modules["torch"]


def main(folder: Path) -> None:
    """Train in chunks that each visit pays for."""
    import_spaces()
    from demo.server.zero_gpu import build_launcher
    from models.training.launch import chunks
    from models.training.launch.limits import TrainingLimits
    from models.training.runs.collection import Runs
    from tests.fakes.gradio_inside import visited_with
    from tests.fakes.training_processes import LONG, request
    from tests.waiting import wait

    ticks = count()
    # A second for each look at the clock: a chunk is so many steps, however fast the machine is.
    chunks.time = SimpleNamespace(monotonic=lambda: next(ticks), sleep=time.sleep)  # type: ignore[assignment]
    visitor = base64.urlsafe_b64encode(b"{}").decode().rstrip("=")
    visited_with({"x-ip-token": f"a.{visitor}.b"})
    launcher = build_launcher(Runs(folder), TrainingLimits(root=folder))
    run = launcher.start(replace(request(LONG), device="cpu"))
    wait(lambda: not run.state().is_active, meanwhile=lambda: launcher.attend(run))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
