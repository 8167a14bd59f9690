"""Access of labs to checkpoints, without knowing the service that holds them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from demo.work.requests.checks import RequestError

if TYPE_CHECKING:
    from models.decoding.record.recorder import OnStep
    from models.registry.checkpoint import Checkpoint, CheckpointConfig


def _none(name: str) -> AbstractContextManager[tuple[Checkpoint, OnStep]]:
    raise RequestError("no_checkpoint_opens", "No checkpoint can be opened here.")


@dataclass(frozen=True)
class Networks:
    """Checkpoints that a lab can open; by default none."""

    configs: Callable[[], Sequence[tuple[str, CheckpointConfig]]] = tuple  # (name, configuration)
    # Opens a checkpoint in its own turn, with a listener to the steps of its decodings. Raises RequestError,
    # CheckpointError.
    open_checkpoint: Callable[[str], AbstractContextManager[tuple[Checkpoint, OnStep]]] = _none
