"""The numbers of a run for other programs: CSV, and TensorBoard event files. Imports no torch."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from models.training.events import EvaluationCompleted, StepCompleted, TrainingEvent, step_of

CURVES: dict[type[TrainingEvent], tuple[str, ...]] = {
    StepCompleted: (
        *("train/loss", "train/learning_rate", "train/gradient_norm", "train/clipped_norm"),
        *("train/teacher_forcing", "train/tokens_per_second"),
    ),
    EvaluationCompleted: ("valid/loss", "valid/perplexity", "valid/bleu", "valid/exact_match"),
}
CURVE_COLUMNS = tuple(chain.from_iterable(CURVES.values()))


def scalars(events: Sequence[TrainingEvent]) -> Iterator[tuple[int, str, float]]:
    """Step, name and value of every number, in the order of the events; names are those of CURVE_COLUMNS."""
    for event in events:
        for column in CURVES.get(type(event), ()):
            value = getattr(event, column.split("/")[1])
            if value is not None:
                yield step_of(event) or 0, column, float(value)


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
