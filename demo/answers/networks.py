"""The checkpoints that a lab may ask, whoever keeps them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from demo.requests.checks import RequestError

if TYPE_CHECKING:
    from models.decoding.record.recorder import Watch
    from models.registry.checkpoint import Checkpoint, CheckpointConfig


def _none(name: str) -> AbstractContextManager[tuple[Checkpoint, Watch]]:
    raise RequestError("no_checkpoint_opens", "No checkpoint can be opened here.")


@dataclass(frozen=True)
class Networks:
    """None unless told otherwise."""

    configs: Callable[[], Sequence[tuple[str, CheckpointConfig]]] = tuple  # by name; without the weights
    # A network in a turn of its own, and what watches its decodings; raises RequestError, CheckpointError.
    asked: Callable[[str], AbstractContextManager[tuple[Checkpoint, Watch]]] = _none
