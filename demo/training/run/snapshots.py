"""The evaluations for the scrubber: all of a short run, an evenly spaced selection of a long one."""

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

MAX_SNAPSHOTS = 120  # snapshots
MAX_WEIGHTS = 120_000  # attention weights in all snapshots
MIN_SNAPSHOTS = 24  # snapshots, however large each is


@dataclass(frozen=True)
class Snapshot:
    """The state of a run at one evaluation."""

    step: int
    loss: float | None = None  # the validation loss
    train: float | None = None  # the latest training loss before the evaluation
    bleu: float | None = None
    exact_match: float | None = None
    best: bool = False  # the lowest validation loss of the whole run
    samples: tuple[SampleDecoded, ...] = ()
    probe: ProbeDecoded | None = None


def snapshots(events: Iterable[TrainingEvent]) -> tuple[Snapshot, ...]:
    """The snapshots in the order of their steps; they always include the first, the best and the newest."""
    by_step: dict[int, Snapshot] = {}
    train: float | None = None
    for event in events:
        if isinstance(event, StepCompleted):
            train = event.loss
        elif isinstance(event, EvaluationCompleted | SampleDecoded | ProbeDecoded):
            before = by_step.get(event.step, Snapshot(event.step))
            by_step[event.step] = replace(_with(before, event), train=train)
    every = [by_step[step] for step in sorted(by_step)]
    evaluated = [snapshot for snapshot in every if snapshot.loss is not None]
    best = min(evaluated, key=lambda snapshot: (snapshot.loss, snapshot.step), default=None)
    every = [replace(snapshot, best=snapshot is best) for snapshot in every]
    stride = _stride(every)
    last = len(every) - 1
    return tuple(s for index, s in enumerate(every) if index % stride == 0 or index == last or s.best)


def _with(snapshot: Snapshot, event: EvaluationCompleted | SampleDecoded | ProbeDecoded) -> Snapshot:
    if isinstance(event, SampleDecoded):
        return replace(snapshot, samples=(*snapshot.samples, event))
    if isinstance(event, ProbeDecoded):
        return replace(snapshot, probe=event)
    return replace(snapshot, loss=event.loss, bleu=event.bleu, exact_match=event.exact_match)


def _stride(every: Sequence[Snapshot]) -> int:
    """The distance between two snapshots: a power of two, so that a growing run drops every second one."""
    probes = [snapshot.probe for snapshot in every if snapshot.probe is not None]
    weights = sum(len(probe.free_running) * len(probe.source) for probe in probes if probe.attention) or 1
    room = max(MIN_SNAPSHOTS, min(MAX_SNAPSHOTS, MAX_WEIGHTS * len(every) // weights))
    stride = 1
    while len(every) / stride > room - 2:  # the best and the newest come on top
        stride *= 2
    return stride
