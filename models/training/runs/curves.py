"""The numbers of a run for other programs: CSV, and TensorBoard event files. Imports no torch."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from models.training.events import EvaluationCompleted, StepCompleted, TrainingEvent

CURVE_COLUMNS = (
    "train/loss",
    "train/learning_rate",
    "train/gradient_norm",
    "train/clipped_norm",
    "train/teacher_forcing",
    "train/tokens_per_second",
    "valid/loss",
    "valid/perplexity",
    "valid/bleu",
    "valid/exact_match",
)


def scalars(events: Sequence[TrainingEvent]) -> Iterator[tuple[int, str, float]]:
    """Step, name and value of every number, in the order of the events; names are those of CURVE_COLUMNS."""
    for event in events:
        if isinstance(event, StepCompleted):
            part = "train"
        elif isinstance(event, EvaluationCompleted):
            part = "valid"
        else:
            continue
        for column in CURVE_COLUMNS:
            section, name = column.split("/")
            value = getattr(event, name, None) if section == part else None
            if value is not None:
                yield event.step, column, float(value)


def write_csv(events: Sequence[TrainingEvent], path: Path) -> None:
    """Write one row for each step that reported anything; unmeasured values stay empty."""
    rows: dict[int, dict[str, float]] = {}
    for step, name, value in scalars(events):
        rows.setdefault(step, {})[name] = value
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ("step", *CURVE_COLUMNS))
        writer.writeheader()
        writer.writerows({"step": step, **rows[step]} for step in sorted(rows))


def write_tensorboard(events: Sequence[TrainingEvent], folder: Path) -> None:
    """Write an event file that TensorBoard shows as scalars."""
    from tensorboardX import SummaryWriter  # type: ignore[import-untyped]

    with SummaryWriter(str(folder)) as writer:
        for step, name, value in scalars(events):
            writer.add_scalar(name, value, step)
