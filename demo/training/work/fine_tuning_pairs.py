"""The corrected pairs of a fine-tuning, with outputs before and after. Imports no torch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from models.training.events import TrainingEvent, TrainingPairDecoded


@dataclass(frozen=True)
class FineTuningPair:
    """A corrected pair with two outputs. The texts are not safe as HTML."""

    source: str
    target: str
    before: str  # output of the checkpoint that was fine-tuned
    after: str  # output of the fine-tuned checkpoint


def fine_tuning_pairs(events: Iterable[TrainingEvent]) -> tuple[FineTuningPair, ...]:
    """The pairs in the order of the report; none before the first end, and none of a run from scratch."""
    decoded = [event for event in events if isinstance(event, TrainingPairDecoded)]
    before = {event.source: event.output for event in decoded if not event.step}
    after = {event.source: event for event in decoded if event.step}
    return tuple(
        FineTuningPair(source, event.target, before[source], event.output)
        for source, event in after.items()
        if source in before
    )
