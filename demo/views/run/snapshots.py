"""The evaluations that the scrubber goes through: all of a short run, evenly thinned of a long one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from models.training.events import (
    EvaluationCompleted,
    ProbeDecoded,
    SampleDecoded,
    StepCompleted,
    TrainingEvent,
)

MOST = 120  # snapshots
MOST_WEIGHTS = 120_000  # of attention in all of them
FEWEST = 24  # however large each is


@dataclass(frozen=True)
class Snapshot:
    """How the run stood at one evaluation."""

    step: int
    loss: float | None = None  # of the validation set
    train: float | None = None  # the newest that was reported by then
    bleu: float | None = None
    exact_match: float | None = None
    best: bool = False  # the lowest validation loss of the whole run
    samples: tuple[SampleDecoded, ...] = ()
    probe: ProbeDecoded | None = None


def snapshots(events: Iterable[TrainingEvent]) -> tuple[Snapshot, ...]:
    """In the order of their steps; the first, the best and the newest are always among them."""
    found: dict[int, Snapshot] = {}
    train: float | None = None
    for event in events:
        if isinstance(event, StepCompleted):
            train = event.loss
        elif isinstance(event, EvaluationCompleted | SampleDecoded | ProbeDecoded):
            before = found.get(event.step, Snapshot(event.step))
            found[event.step] = replace(_with(before, event), train=train)
    every = [found[step] for step in sorted(found)]
    judged = [snapshot for snapshot in every if snapshot.loss is not None]
    best = min(judged, key=lambda snapshot: (snapshot.loss, snapshot.step), default=None)
    every = [replace(snapshot, best=snapshot is best) for snapshot in every]
    stride = _stride(every)
    last = len(every) - 1
    return tuple(s for at, s in enumerate(every) if at % stride == 0 or at == last or s.best)


def _with(snapshot: Snapshot, event: EvaluationCompleted | SampleDecoded | ProbeDecoded) -> Snapshot:
    if isinstance(event, SampleDecoded):
        return replace(snapshot, samples=(*snapshot.samples, event))
    if isinstance(event, ProbeDecoded):
        return replace(snapshot, probe=event)
    return replace(snapshot, loss=event.loss, bleu=event.bleu, exact_match=event.exact_match)


def _stride(every: Sequence[Snapshot]) -> int:
    """A power of two: while a run goes on, what was kept stays until it is halved."""
    probes = [snapshot.probe for snapshot in every if snapshot.probe is not None]
    weights = sum(len(probe.free) * len(probe.source) for probe in probes if probe.attention) or 1
    room = max(FEWEST, min(MOST, MOST_WEIGHTS * len(every) // weights))
    stride = 1
    while len(every) / stride > room - 2:  # the best and the newest come on top
        stride *= 2
    return stride
