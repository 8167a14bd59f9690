"""A Space with ZeroGPU on a machine without a GPU, with the scheduling of the real package `spaces`.

The emulation of CUDA is switched off, as the package does in programs without torch. The package reads its
environment on import and therefore needs its own process: `python -m` with a folder trains a run there.
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
    """Import the package as if torch were not installed."""
    sys.modules["torch"] = None  # type: ignore[assignment]
    import spaces  # noqa: F401

    del sys.modules["torch"]


def main(folder: Path) -> None:
    """Train in chunks, each charged to the visitor's quota."""
    import_spaces()
    from demo.server.zero_gpu import build_launcher
    from models.training.launch import chunks
    from models.training.launch.launcher import TrainingLimits
    from models.training.runs.collection import Runs
    from tests.fakes.gradio_inside import visited_with
    from tests.fakes.training.processes import LONG, request
    from tests.waiting import wait

    ticks = count()
    # Each reading of the clock takes a second, so a chunk has the same number of steps on any machine.
    chunks.time = SimpleNamespace(monotonic=lambda: next(ticks), sleep=time.sleep)  # type: ignore[assignment]
    visitor = base64.urlsafe_b64encode(b"{}").decode().rstrip("=")
    visited_with({"x-ip-token": f"a.{visitor}.b"})
    launcher = build_launcher(Runs(folder), TrainingLimits(root=folder))
    run = launcher.start(replace(request(LONG), device="cpu"))
    wait(lambda: not run.state().is_active, meanwhile=lambda: launcher.attend(run))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
