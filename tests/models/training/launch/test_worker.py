"""The process of a run: its limits, its reported failures, and the single writer."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from models.networks.transformer.config import TransformerConfig
from models.training.events import Notice, RunFailed, RunStarted, RunStopped, TrainingEvent
from models.training.launch import worker as program
from models.training.launch.child_process import PROJECT_FOLDER
from models.training.launch.part import DISK_FULL, NO_MEMORY
from models.training.launch.worker import Worker
from models.training.recipe.config import TrainingConfig
from models.training.runs.collection import RunError, Runs
from models.training.runs.request import RunState
from models.training.runs.run_folder import Run
from models.training.runs.writer import BusyError, RunWriter
from tests.fakes.training.processes import LONG, events_of, launcher, request, wait_for_steps
from tests.fakes.training.small_run import CONFIG
from tests.messages import says
from tests.refusals import refused
from tests.waiting import wait


def create(root: Path, config: TrainingConfig = CONFIG) -> Run:
    return Runs(root).create(request(config))


def work(run: Run, **limits: int) -> list[TrainingEvent]:
    """The worker in this process; the run's events after it."""
    with RunWriter(run) as writer:
        Worker(writer, **limits).work()
    return events_of(run)


def test_a_run_saves_and_stops_at_its_time_limit(tmp_path: Path) -> None:
    run = create(tmp_path, LONG)
    run.write_status(replace(run.status(), seconds=59.9))
    last = work(run, minutes=1)[-1]
    assert run.state() is RunState.STOPPED
    assert isinstance(last, RunStopped)
    assert last.reason == run.sentence()
    assert says(last.reason, "out_of_time", minutes=1)
    assert (run.folder / "state.safetensors").exists()
    assert run.status().seconds > 60
    with refused(RunError, "run_minutes_over", 1):
        launcher(tmp_path, minutes=1).resume(run)


@pytest.mark.parametrize(
    ("network", "most"),
    [
        (CONFIG.network, 1000),
        (
            TransformerConfig(
                d_model=8192,
                num_heads=16,
                d_ff=32_768,
                num_layers=64,
                num_decoder_layers=64,
                max_positions=16,
            ),
            10_000_000,
        ),  # 400 GB
    ],
)
def test_a_network_that_is_too_large_is_never_built(network: Any, most: int, tmp_path: Path) -> None:
    run = create(tmp_path, replace(CONFIG, network=network))
    (failed,) = work(run, parameters=most)
    assert isinstance(failed, RunFailed)
    assert says(failed.reason, "network_too_large", limit=f"{most:,}")
    assert run.state() is RunState.FAILED
    assert not (run.folder / "tokenizer.json").exists()


@pytest.mark.slow
def test_the_limit_of_parameters_is_exact(tmp_path: Path) -> None:
    started = work(create(tmp_path))[0]
    assert isinstance(started, RunStarted)
    fits, too_large = create(tmp_path), create(tmp_path)
    work(fits, parameters=started.parameters)
    assert fits.state() is RunState.FINISHED
    (failed,) = work(too_large, parameters=started.parameters - 1)  # the number is known with the vocabulary
    assert isinstance(failed, RunFailed)
    assert says(failed.reason, "network_too_large", count=f"{started.parameters:,}")


@pytest.mark.parametrize(
    ("error", "reason", "printed"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), DISK_FULL, False),
        (OSError(errno.EACCES, "Permission denied"), "Permission denied", True),
        (
            OSError(errno.EACCES, "Permission denied", "/srv/runs/a/best/config.json"),
            "A file of the run cannot be used: config.json (Permission denied).",
            True,
        ),
        (MemoryError(), NO_MEMORY, True),
        (RuntimeError("DefaultCPUAllocator: not enough memory: you tried"), NO_MEMORY, True),
        (IndexError("list index out of range"), "IndexError: list index out of range", True),
        (IndexError(), "IndexError: no reason", True),
    ],
)
def test_every_failure_is_reported(
    error: Exception,
    reason: str,
    printed: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(program, "do_part", fail)
    run = create(tmp_path)
    assert work(run) == [RunFailed(reason)]
    assert (run.state(), run.sentence()) == (RunState.FAILED, reason)
    assert ("Traceback" in capsys.readouterr().err) is printed


def test_a_second_process_leaves_the_run_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("models.training.runs.writer.LOCK_WAIT_SECONDS", 0.1)
    run = create(tmp_path)
    with RunWriter(run) as writer:
        before = run.status_file.read_bytes()
        with pytest.raises(BusyError), RunWriter(run):
            pass
        assert run.status_file.read_bytes() == before
        writer.end(RunStopped(0, "Done."))
    assert run.sentence() == "Done."


@pytest.mark.slow
def test_a_second_worker_reports_that_the_run_is_in_use(tmp_path: Path) -> None:
    run = create(tmp_path)
    program = (
        "import sys; from models.training.launch import worker; from models.training.runs import writer; "
        "writer.LOCK_WAIT_SECONDS = 0.1; sys.argv[1:] = [sys.argv[1]]; sys.exit(worker.main())"
    )
    command = [sys.executable, "-c", program]
    with RunWriter(run, beat=60):
        before = run.status_file.read_bytes()
        child = subprocess.run(
            [*command, str(run.folder)], cwd=PROJECT_FOLDER, capture_output=True, text=True, check=False
        )
        assert (child.returncode, child.stderr) == (2, f"another process is running {run.id}\n")
        assert run.status_file.read_bytes() == before


def test_a_run_whose_folder_is_removed_ends_and_leaves_nothing(tmp_path: Path) -> None:
    run = create(tmp_path, LONG)

    def remove() -> None:
        wait_for_steps(run, 1)
        while run.folder.exists():  # the heartbeat may be writing
            run.remove()

    remover = Thread(target=remove)
    remover.start()
    with RunWriter(run) as writer:
        Worker(writer).work()
    remover.join()
    assert not run.folder.exists()


def test_a_truncated_event_does_not_damage_the_next(tmp_path: Path) -> None:
    run = create(tmp_path)
    run.events_file.write_text('{"event": "Notice", "step": 1, "text": "a"}\n{"event": "Noti')
    assert run.events() == ([Notice(1, "a")], 44)
    with RunWriter(run) as writer:
        writer.emit(Notice(2, "b"))
    assert run.events()[0] == [Notice(1, "a"), Notice(2, "b")]
    assert run.events(44)[0] == [Notice(2, "b")]


def test_a_run_continues_if_its_status_cannot_be_written(tmp_path: Path) -> None:
    run = create(tmp_path)
    (run.folder / f"status.json.{os.getpid()}.partial").mkdir()
    with RunWriter(run, beat=0.01) as writer:
        writer.emit(Notice(7, "still here"))
        writer.end(RunFailed("full"))
    assert run.events()[0] == [Notice(7, "still here"), RunFailed("full")]


def test_the_heartbeat_beats_while_the_run_is_silent(tmp_path: Path) -> None:
    run = create(tmp_path)
    with RunWriter(run, beat=0.01) as writer:
        first = run.status().heartbeat
        writer.set_state(RunState.RUNNING, "Busy.")
        wait(lambda: run.status().heartbeat > first and run.status().state is RunState.RUNNING)
        assert run.sentence() == "Busy."
