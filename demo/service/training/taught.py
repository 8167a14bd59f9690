"""The pairs that a run was taught, with its outputs before and after. Knows no torch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from models.training.events import TaughtDecoded, TrainingEvent


@dataclass(frozen=True)
class TaughtPair:
    """Texts of people and of a model: escape them."""

    source: str
    target: str
    before: str  # the output of the checkpoint that was fine-tuned
    after: str  # of the one that came of it


def taught_pairs(events: Iterable[TrainingEvent]) -> tuple[TaughtPair, ...]:
    """In the order of the run's report; none before it has ended once, and none of a run from scratch."""
    decoded = [event for event in events if isinstance(event, TaughtDecoded)]
    before = {event.source: event.output for event in decoded if not event.step}
    after = {event.source: event for event in decoded if event.step}
    return tuple(
        TaughtPair(source, event.target, before[source], event.output)
        for source, event in after.items()
        if source in before
    )
