"""The folders of a run. Imports no torch."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class RunFolders:
    """The folders of one run."""

    output: Path  # gets `best` and `last`, both checkpoints, and `state.safetensors`
    data: Path = Path()  # the recipe's files are relative to it
    recipe: Path = Path()  # the recipe's supplement is relative to it
    start: Path | None = None  # the checkpoint to fine-tune; None = from scratch
