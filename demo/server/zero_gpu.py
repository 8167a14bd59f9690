"""Training on a Space with ZeroGPU, which lends a GPU to one function for a minute at a time.

Import this before torch, since `spaces` has to patch its import.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from models.training.launch.child_process import ProcessLauncher
from models.training.launch.chunks import ChunkLauncher, chunk_duration, train_chunk

if TYPE_CHECKING:
    from models.training.launch.chunks import Chunk
    from models.training.launch.launcher import Launcher, TrainingLimits
    from models.training.runs.collection import Runs


def on_zero_gpu() -> bool:
    """Whether this is a Space with ZeroGPU."""
    return bool(os.environ.get("SPACES_ZERO_GPU"))


def _lent() -> Chunk:
    """`train_chunk`, on ZeroGPU with a GPU; `spaces` registers its functions when a module is imported."""
    if not on_zero_gpu():
        return train_chunk
    import spaces  # installed on every Space with ZeroGPU only

    chunk: Chunk = spaces.GPU(duration=chunk_duration)(train_chunk)
    return chunk


chunk = _lent()


def build_launcher(runs: Runs, limits: TrainingLimits) -> Launcher:
    """A launcher of child processes, or of chunks on ZeroGPU, where a child gets no GPU."""
    return ChunkLauncher(runs, limits, chunk) if on_zero_gpu() else ProcessLauncher(runs, limits)
