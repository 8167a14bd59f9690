"""A damaged run, or an odd thing in the place of a run's file, is no obstacle to others."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock, Timeout

from demo.training.choices import run_choices
from demo.training.run_handlers import on_poll, on_remove, on_resume, on_stop
from demo.training.work.run_report import RunReports
from demo.work.context import AppContext
from demo.work.training_service import TrainingService
from models.registry.card import CheckpointError
from models.registry.registry import Registry
from models.training.launch.launcher import TrainingLimits
from models.training.runs.collection import LOCK_FILE, Runs, UnknownRunError
from models.training.runs.request import RunRequest, RunState, RunStatus
from models.training.runs.run_folder import Run
from models.training.runs.writer import RunWriter
from tests.fakes.training.small_run import CONFIG
from tests.fuzz.world import VISITOR, EndingLauncher
from tests.refusals import refused

OTHER_VISITOR = "f" * 32
OBSTACLES: dict[str, Callable[[Path], object]] = {
    "text": lambda path: path.write_text("null"),
    "folder": lambda path: path.mkdir(),
    "pipe": os.mkfifo,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "link to itself": lambda path: path.symlink_to(path),
    "large": lambda path: os.truncate(os.open(path, os.O_CREAT | os.O_WRONLY), 1 << 40),
}


def server(root: Path) -> AppContext:
    """A server that has read nothing yet."""
    runs, limits = Runs(root), TrainingLimits(root=root)
    training = TrainingService(runs, EndingLauncher(runs, limits), limits)
    return AppContext(Registry(root / "none", training.checkpoint_folder), "cpu", training=training)


def start(context: AppContext, visitor: str) -> Run:
    assert context.training is not None
    return context.training.launcher.start(RunRequest.new("A run", CONFIG, visitor, device="cpu"))


@pytest.mark.parametrize("obstacle", OBSTACLES)
@pytest.mark.parametrize("file", ["run.json", "status.json", "events.jsonl", "log.txt"])
def test_others_use_the_tab_beside_a_damaged_run(tmp_path: Path, file: str, obstacle: str) -> None:
    context = server(tmp_path)
    damaged, other = start(context, VISITOR), start(context, OTHER_VISITOR)
    (damaged.folder / file).unlink(missing_ok=True)
    OBSTACLES[obstacle](damaged.folder / file)
    context = server(tmp_path)
    assert context.training is not None
    reports = RunReports(context.training.runs)
    is_damaged = file == "run.json"
    choices, _ = run_choices(context, VISITOR, damaged.id)
    assert [name for _, name in choices["choices"]] == [damaged.id]
    assert choices["choices"][0][0].startswith("Damaged run" if is_damaged else "A run")
    report, *_ = on_poll(context, reports, VISITOR, damaged.id, [other.id])
    assert (report.state is RunState.DAMAGED) == is_damaged
    report, *_ = on_poll(context, reports, OTHER_VISITOR, other.id, [damaged.id])
    assert report.title == "A run"
    on_stop(context, other.id)
    on_resume(context, other.id)
    start(context, OTHER_VISITOR)
    on_remove(context, VISITOR, damaged.id)
    assert not damaged.folder.exists()


def test_whoever_has_the_link_removes_a_run_whose_visitor_is_unknown(tmp_path: Path) -> None:
    run = start(server(tmp_path), VISITOR)
    run.request_file.write_text("null")
    run.status_file.write_text("null")
    on_remove(server(tmp_path), OTHER_VISITOR, run.id)
    assert not run.folder.exists()


def test_damaged_runs_make_room_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("models.training.runs.collection.MAX_RUNS_PER_VISITOR", 2)
    limited = Runs(tmp_path)
    older, damaged = (limited.create(RunRequest.new("A run", CONFIG, VISITOR)) for _ in range(2))
    for run in (older, damaged):
        run.write_status(RunStatus(RunState.STOPPED, time.time(), owner=run.request.owner))
    damaged.request_file.write_text("null")
    Runs(tmp_path).create(RunRequest.new("A run", CONFIG, VISITOR))
    assert (older.folder.exists(), damaged.folder.exists()) == (True, False)


def test_nobody_resumes_a_run_while_it_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run, removed = start(server(tmp_path), VISITOR), []

    def remove(self: Run) -> None:
        with pytest.raises(Timeout), FileLock(tmp_path / LOCK_FILE).acquire(timeout=0):
            pass
        removed.append(self)

    monkeypatch.setattr(Run, "remove", remove)
    Runs(tmp_path).remove(run)
    assert removed == [run]


def test_a_late_process_of_a_removed_run_leaves_no_folder(tmp_path: Path) -> None:
    run = start(server(tmp_path), VISITOR)
    run.remove()
    with refused(UnknownRunError, "run_gone"), RunWriter(run):
        pass
    assert not run.folder.exists()


def test_a_damaged_checkpoint_of_a_run_has_its_own_remedy(tmp_path: Path) -> None:
    context = server(tmp_path)
    run = start(context, VISITOR)
    run.best.mkdir()
    (run.best / "config.json").write_text("{")
    for read in (context.registry.config, context.registry.card):
        with refused(CheckpointError, "checkpoint_unusable", "train_again"):
            read(run.id)
