"""The numbers of a run in other programs' formats, read back byte by byte."""

from __future__ import annotations

import csv
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from demo.training.work.archive import CURVE_COLUMNS, scalars, write_csv, write_tensorboard
from models.training.events import (
    EvaluationCompleted,
    Notice,
    RunFinished,
    StepCompleted,
    TrainingEvent,
    event_json,
    parse_event,
)
from tests.fakes.training.small_run import CONFIG, run

STEP = StepCompleted(
    step=3,
    epoch=0,
    loss=1.25,
    learning_rate=0.5,
    gradient_norm=2.0,
    clipped_norm=1.0,
    teacher_forcing=0.75,
    tokens_per_second=100.0,
    memory_bytes=None,
    seconds_left=2.0,
)
EVALUATION = EvaluationCompleted(step=3, loss=0.5, perplexity=1.65, bleu=None, exact_match=40.0, best=True)
LATER = EvaluationCompleted(step=9, loss=0.25, perplexity=1.28, bleu=12.5, exact_match=None, best=True)
EVENTS: list[TrainingEvent] = [Notice(0, "x"), STEP, EVALUATION, LATER, RunFinished(9, 1.0, 10)]
TRAIN = {
    "train/loss": 1.25,
    "train/learning_rate": 0.5,
    "train/gradient_norm": 2.0,
    "train/clipped_norm": 1.0,
    "train/teacher_forcing": 0.75,
    "train/tokens_per_second": 100.0,
}
VALID = {"valid/loss": 0.5, "valid/perplexity": 1.65, "valid/exact_match": 40.0}
LAST = {"valid/loss": 0.25, "valid/perplexity": 1.28, "valid/bleu": 12.5}


def records(content: bytes) -> Iterator[bytes]:
    """The records of a TFRecord file: length, its checksum, data, its checksum."""
    index = 0
    while index < len(content):
        (length,) = struct.unpack_from("<Q", content, index)
        yield content[index + 12 : index + 12 + length]
        index += 12 + length + 4


def test_every_number_has_a_name_and_unmeasured_ones_are_left_out() -> None:
    result = list(scalars(EVENTS))
    assert {name: value for step, name, value in result if step == 3} == TRAIN | VALID
    assert {name: value for step, name, value in result if step == 9} == LAST
    assert {name for _, name, _ in result} == set(CURVE_COLUMNS)


def test_the_csv_has_a_row_for_each_step(tmp_path: Path) -> None:
    write_csv(EVENTS, tmp_path / "metrics.csv")
    with (tmp_path / "metrics.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row.pop("step") for row in rows] == ["3", "9"]
    for row, expected in zip(rows, (TRAIN | VALID, LAST), strict=True):
        assert {name: float(value) for name, value in row.items() if value} == expected


def test_tensorboard_reads_the_same_numbers(tmp_path: Path) -> None:
    from tensorboardX.proto.event_pb2 import Event  # type: ignore[import-untyped]

    write_tensorboard(EVENTS, tmp_path)
    (file,) = tmp_path.glob("events.out.tfevents.*")
    events = [Event.FromString(record) for record in records(file.read_bytes())]
    assert events[0].file_version == "brain.Event:2"
    result = {(e.step, value.tag): value.simple_value for e in events for value in e.summary.value}
    expected = {(step, name): value for step, name, value in scalars(EVENTS)}
    assert result.keys() == expected.keys()
    for key, value in expected.items():
        assert result[key] == pytest.approx(value, rel=1e-6)  # it holds 32 bits


@pytest.mark.slow
def test_a_real_runs_numbers_survive_the_events_file(tmp_path: Path) -> None:
    events = run(CONFIG, tmp_path / "run")
    read = [parse_event(event_json(event)) for event in events]
    assert list(scalars(read)) == list(scalars(events))
    assert {name for _, name, _ in scalars(events)} >= {"train/loss", "valid/loss"}


def test_the_csv_of_a_run_without_numbers_has_only_a_heading(tmp_path: Path) -> None:
    write_csv([Notice(0, "x")], tmp_path / "metrics.csv")
    assert (tmp_path / "metrics.csv").read_text().splitlines() == [",".join(("step", *CURVE_COLUMNS))]
