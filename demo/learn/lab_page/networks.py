"""Access of labs to the checkpoints that all visitors share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from demo.widgets.answers.content import Networks
from demo.work.context import AppContext
from demo.work.watch import Watch

if TYPE_CHECKING:
    from models.registry.checkpoint import Checkpoint


def networks_of(context: AppContext) -> Networks:
    """The checkpoints of the registry; damaged ones are left out."""
    return Networks(lambda: [*context.registry.configs().items()], partial(_checkpoint_in_turn, context))


@contextmanager
def _checkpoint_in_turn(context: AppContext, name: str) -> Iterator[tuple[Checkpoint, Watch]]:
    checkpoint, watch = context.checkpoint(name), Watch()
    with context.turns.turn(watch):
        yield checkpoint, watch
