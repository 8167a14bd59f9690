"""The download of a run: its checkpoint as a folder, with its curves for other programs."""

from __future__ import annotations

import csv
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from demo.work.training_service import finished_checkpoint
from models.registry.checkpoint import CONFIG, WEIGHTS
from models.training.events import EvaluationCompleted, StepCompleted, TrainingEvent, step_of
from models.training.runs.collection import RUN_GONE, Runs, UnknownRunError
from models.training.runs.run_folder import Run
from models.whole_file import finish

CURVES: dict[type[TrainingEvent], tuple[str, ...]] = {
    StepCompleted: (
        *("train/loss", "train/learning_rate", "train/gradient_norm", "train/clipped_norm"),
        *("train/teacher_forcing", "train/tokens_per_second"),
    ),
    EvaluationCompleted: ("valid/loss", "valid/perplexity", "valid/bleu", "valid/exact_match"),
}
CURVE_COLUMNS = tuple(chain.from_iterable(CURVES.values()))
TRIES = 3
NOTE = """Put this folder into checkpoints/ of a copy of Unrolled, and it is in every list.

from pathlib import Path
import torch
from models.registry.checkpoint import load_checkpoint
checkpoint = load_checkpoint(Path("{name}"), torch.device("cpu"))
"""


def run_archive(run: Run, runs: Runs, events: Sequence[TrainingEvent], target_folder: Path) -> Path:
    """Zip the run's best checkpoint with card, recipe and curves into `target_folder`.

    The curves are there as events, as `metrics.csv`, and as a TensorBoard event file.

    Raises RequestError for a run without a checkpoint, UnknownRunError if the run is removed meanwhile.
    """
    name = runs.request(run).config.name
    folder, path = finished_checkpoint(run), target_folder / f"{name}.zip"
    finish(folder, CONFIG)
    try:
        _pack(run, events, folder, path)
    except FileNotFoundError as error:
        raise UnknownRunError(RUN_GONE) from error
    return path


def _pack(run: Run, events: Sequence[TrainingEvent], folder: Path, path: Path) -> None:
    name = path.stem
    for _ in range(TRIES):  # an active run may overwrite its checkpoint meanwhile
        before = _write_times(folder)
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(folder.iterdir()):
                if file.is_file() and not file.name.endswith(".partial"):
                    archive.write(file, f"{name}/{file.name}")
            if run.events_file.exists():
                archive.write(run.events_file, f"{name}/events.jsonl")
            _add_curves(archive, events, name)
            archive.writestr(f"{name}/HOW-TO-USE.txt", NOTE.format(name=name))
        if _write_times(folder) == before:
            break


def _add_curves(archive: zipfile.ZipFile, events: Sequence[TrainingEvent], name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_tensorboard(events, Path(folder) / "tensorboard")
        write_csv(events, Path(folder) / "metrics.csv")
        for file in sorted(Path(folder).rglob("*.*")):
            archive.write(file, f"{name}/{file.relative_to(folder).as_posix()}")


def _write_times(folder: Path) -> tuple[int, ...]:
    """The times of the first and the last file of a checkpoint, which are written together."""
    return tuple((folder / file).stat().st_mtime_ns for file in (WEIGHTS, CONFIG))


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
