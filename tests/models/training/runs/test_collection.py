"""Run folders: their owners, their files, their removal for new runs, and invalid ids."""

from __future__ import annotations

import json
import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from models.environment import SettingError, read
from models.training.events import (
    EvaluationCompleted,
    Notice,
    RunFailed,
    RunFinished,
    RunStarted,
    RunStopped,
    TrainingEvent,
    event_json,
)
from models.training.launch.launcher import TrainingLimits
from models.training.recipe.sections import OptimizerConfig
from models.training.runs.collection import Runs, UnknownRunError
from models.training.runs.request import LOST, RUN_ID, RunRequest, RunState, RunStatus, new_run_id, new_token
from models.training.runs.run_folder import LOST_AFTER_SECONDS, Run
from tests.fakes.training.processes import events_of, later, request
from tests.fakes.training.small_run import CONFIG
from tests.refusals import refused

STARTED = RunStarted("tiny", 10, 10, 5, 100, 20, 50, "CPU", 1, 0)


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    return Runs(tmp_path / "runs")


def end(run: Run, state: RunState = RunState.FINISHED) -> Run:
    run.write_status(RunStatus(state, time.time()))
    return run


def write(run: Run, *events: TrainingEvent, rest: str = "") -> None:
    run.events_file.write_text("".join(f"{event_json(event)}\n" for event in events) + rest, encoding="utf-8")


def evaluation(step: int, loss: float) -> EvaluationCompleted:
    return EvaluationCompleted(step, loss, 1.0, None, None, True)


def test_a_request_is_the_same_after_its_file() -> None:
    config = replace(CONFIG, optimizer=OptimizerConfig(kind="sgd"), probe_source="añb")
    query = RunRequest.new(
        "Überträge, 10 %!", config, new_token(), start="spa-eng-gru", start_folder=Path("checkpoints/x")
    )
    assert RunRequest.from_dict(json.loads(json.dumps(query.to_dict()))) == query
    assert query.id.startswith("ubertrage-10-")
    assert Path(query.start_folder).is_absolute()


def test_a_request_keeps_no_token() -> None:
    token = new_token()
    assert token not in json.dumps(request(token=token).to_dict())


@pytest.mark.parametrize("title", ["", "💥", "../../etc/passwd", "a" * 200, "-- --", "Ж", "x-" * 60])
def test_any_title_gives_an_id(title: str) -> None:
    assert RUN_ID.fullmatch(new_run_id(title))
    assert len({new_run_id(title) for _ in range(20)}) == 20


@pytest.mark.parametrize(
    "run_id",
    [
        "",
        "../x",
        "a/b",
        "../runs/a-run-0123456789ab",
        "a-run-0123456789ab/../a-run-0123456789ab",
        "a-run-0123456789ab\n",
        "A-run-0123456789ab",
        "-0123456789ab",
        "a-run-0123456789ab\0",
        "a" * 10_000 + "-0123456789ab",
        "absent-0123456789ab",
        None,
        7,
        ["a-run-0123456789ab"],
    ],
)
def test_an_invalid_id_is_refused(run_id: object, runs: Runs) -> None:
    runs.create(replace(request(), id="a-run-0123456789ab"))
    assert runs.find("a-run-0123456789ab").state() is RunState.QUEUED
    with refused(UnknownRunError, "no_such_run"):
        runs.find(run_id)


@pytest.mark.parametrize("name", ["../train.tsv", "a/b", "/etc/x", "..", ""])
def test_data_stays_in_its_folder(name: str, runs: Runs) -> None:
    with pytest.raises((ValueError, OSError)):
        runs.create(request(), {name: "a\tb\n"})
    assert list(runs.root.iterdir()) == []


def test_visitors_see_their_own_runs_newest_first(runs: Runs) -> None:
    ours, theirs = new_token(), new_token()
    created = [runs.create(request(token=token)) for token in (ours, theirs, ours)]
    for seconds, run in enumerate(created):
        text = json.loads((run.folder / "run.json").read_text()) | {"created": float(seconds)}
        (run.folder / "run.json").write_text(json.dumps(text))
    after_restart = Runs(runs.root)
    assert after_restart.of(ours) == (created[2], created[0])
    assert after_restart.of(theirs) == (created[1],)
    assert after_restart.of(new_token()) == after_restart.of("") == after_restart.of("*" * 32) == ()


def test_folders_that_are_no_runs_are_skipped(runs: Runs) -> None:
    token = new_token()
    run = runs.create(request(token=token))
    for name, text in (("damaged-0123456789ab", "{"), ("copied-0123456789ab", None), ("notes", "{}")):
        (runs.root / name).mkdir()
        (runs.root / name / "run.json").write_text(text or (run.folder / "run.json").read_text())
    assert Runs(runs.root).of(token) == (run,)
    assert Runs(runs.root / "absent").of(token) == tuple(Runs(runs.root / "absent").active_requests()) == ()


def test_the_oldest_finished_runs_of_a_visitor_are_removed_for_a_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("models.training.runs.collection.MAX_RUNS_PER_VISITOR", 3)
    runs = Runs(tmp_path)
    ours, theirs = new_token(), new_token()
    other = end(runs.create(request(token=theirs)))
    first = runs.create(request(token=ours))  # still under way
    second, third, fourth = (end(runs.create(request(token=ours))) for _ in range(3))
    assert runs.of(ours) == (fourth, third, first)
    assert not second.folder.exists()
    assert runs.of(theirs) == (other,)


def test_the_oldest_finished_runs_of_all_are_removed_for_disk_space(tmp_path: Path) -> None:
    runs = Runs(tmp_path, total_bytes=250_000)
    created = [end(runs.create(request(), {"train.tsv": "x" * 100_000})) for _ in range(3)]
    under_way = runs.create(request())
    assert [run.folder.exists() for run in created] == [False, True, True]
    assert under_way.folder.exists()


def test_files_removed_while_their_size_is_taken_count_nothing(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run saves a checkpoint, or is removed, while another visitor starts one."""
    run, scandir = runs.create(request()), os.scandir
    size = run.size_bytes()
    run.last.mkdir()
    (run.last / "weights.partial").write_bytes(b"x" * 1_000)
    assert run.size_bytes() == size + 1_000

    def late(path: Path) -> Any:
        """Looks into a folder that was removed since it was listed."""
        if Path(path) == run.last:
            (run.last / "weights.partial").unlink()
            run.last.rmdir()
        return scandir(path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", late)
        assert run.size_bytes() == size


def test_a_run_that_another_starts_from_is_kept(tmp_path: Path) -> None:
    runs = Runs(tmp_path, total_bytes=1)
    base = runs.create(request())
    needs = RunRequest.new("tuned", CONFIG, new_token(), start=base.id, start_folder=base.best)
    waiting = runs.create(needs)
    end(base)
    runs.create(request())
    assert base.folder.exists()
    end(waiting)
    runs.create(request())
    assert not base.folder.exists()


def test_a_silent_run_is_lost_only_without_a_lock(runs: Runs) -> None:
    run = runs.create(request())
    run.write_status(RunStatus(RunState.RUNNING, heartbeat=1000.0, message="Training."))
    assert run.state(1000.0 + LOST_AFTER_SECONDS) is RunState.RUNNING
    assert run.state(1001.0 + LOST_AFTER_SECONDS) is RunState.LOST
    assert run.sentence() == LOST
    with run.lock():
        assert run.state() is RunState.RUNNING
        run.ask_to_stop()
        assert run.state() is RunState.STOPPING
    end(run, RunState.STOPPED)
    assert run.state(1e12) is RunState.STOPPED


def test_a_removed_run_has_no_lock_and_stays_removed(runs: Runs) -> None:
    run = runs.create(request())
    run.remove()
    assert not run.is_held()
    assert not run.folder.exists()


def test_ended_runs_get_no_request_to_stop(runs: Runs) -> None:
    run = end(runs.create(request()))
    run.ask_to_stop()
    assert not run.stop_file.exists()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"state": "asleep"}', '{"state": "running"}', "null", "\xff"]
)
def test_a_run_with_a_damaged_status_is_lost(text: str, runs: Runs) -> None:
    run = runs.create(request())
    run.status_file.write_text(text, encoding="latin-1")
    assert run.state() is RunState.LOST


def test_events_are_read_from_the_end_of_the_last_reading(runs: Runs) -> None:
    run = runs.create(request())
    assert run.events() == ([], 0)
    write(run, STARTED, Notice(1, "ä"), rest='{"event": "Notice", "st')
    events, index = run.events()
    assert events == [STARTED, Notice(1, "ä")]
    assert run.events(index) == ([], index)
    write(run, STARTED, Notice(1, "ä"), Notice(2, "b"), rest="not JSON\n[]\n\n" + event_json(Notice(3, "c")))
    events, index = run.events(index)
    assert events == [Notice(2, "b")]
    with run.events_file.open("a") as file:
        file.write("\n")
    assert run.events(index)[0] == [Notice(3, "c")]


def test_repeated_steps_of_a_resumed_run_are_reported_once(runs: Runs) -> None:
    """The run is killed before the first save, started again, stopped, and resumed from an earlier step."""
    run = end(runs.create(request()))
    again, resumed = replace(STARTED, name="again"), replace(STARTED, resumed_at=4)
    write(
        run,
        *(STARTED, evaluation(4, 9.0), RunFailed("lost"), again, evaluation(4, 1.0), evaluation(8, 2.0)),
        *(RunStopped(8, "asked"), resumed, evaluation(8, 2.5), RunFinished(8, 1.0, 1)),
    )
    expected = [again, evaluation(4, 1.0), resumed, evaluation(8, 2.5), RunFinished(8, 1.0, 1)]
    assert events_of(run) == expected
    run.write_status(RunStatus(RunState.RUNNING, 0.0))
    assert run.sentence(later()) == LOST


def test_the_end_of_a_long_log_is_shown(runs: Runs) -> None:
    run = runs.create(request())
    assert run.log_tail() == ""
    run.log_file.write_bytes(b"x" * 100_000 + b"\n1\n\x1b[31m2\xff\r\n3\n")
    assert run.log_tail(2) == "[31m2\ufffd\n3"
    assert run.log_tail(3).split("\n")[0] == "1"


def test_limits_come_from_the_environment() -> None:
    assert read(TrainingLimits, {}) == TrainingLimits()
    limits = read(
        TrainingLimits,
        {
            "UNROLLED_TRAINING": " OFF ",
            "UNROLLED_TRAINING_MINUTES": "10",
            "UNROLLED_TRAINING_QUEUE": "0",
            "UNROLLED_TRAINING_PARAMETERS": "5_000_000",
            "UNROLLED_RUNS": "/data/runs",
            "UNROLLED_RUNS_BYTES": "1000",
        },
    )
    assert limits == TrainingLimits(False, 10, 0, 5_000_000, Path("/data/runs").absolute(), 1000)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("UNROLLED_TRAINING", "perhaps"),
        ("UNROLLED_TRAINING_MINUTES", "ten"),
        ("UNROLLED_TRAINING_QUEUE", "-1"),
        ("UNROLLED_TRAINING_PARAMETERS", "1.5"),
        ("UNROLLED_RUNS_BYTES", "10 GB"),
        ("UNROLLED_RUNS_BYTES", "9" * 5000),
    ],
)
def test_a_limit_that_cannot_be_read_is_named(name: str, value: str) -> None:
    with refused(SettingError, ("not_whole", "not_one_of"), name):
        read(TrainingLimits, {name: value})


def test_runs_lie_outside_the_project() -> None:
    project = Path(__file__).parents[4]
    assert project not in TrainingLimits().root.parents
    assert read(TrainingLimits, {"UNROLLED_RUNS": "  "}) == TrainingLimits()
