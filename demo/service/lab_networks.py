"""What labs may ask of the checkpoints that all visitors share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from demo.inspect.networks import Networks
from demo.service.context import AppContext
from demo.service.decoding.watch import Watch
from models.registry.card import CheckpointError

if TYPE_CHECKING:
    from models.registry.checkpoint import Checkpoint, CheckpointConfig


def networks_of(context: AppContext) -> Networks:
    """Of everybody's checkpoints; a damaged one is left out."""
    return Networks(partial(_configs, context), partial(_asked, context))


def _configs(context: AppContext) -> list[tuple[str, CheckpointConfig]]:
    found = []
    for name in context.registry.names():
        try:
            found.append((name, context.config(name)))
        except CheckpointError:
            continue
    return found


@contextmanager
def _asked(context: AppContext, name: str) -> Iterator[tuple[Checkpoint, Watch]]:
    checkpoint, watch = context.checkpoint(name), Watch()
    with context.turns.turn(watch):
        yield checkpoint, watch
