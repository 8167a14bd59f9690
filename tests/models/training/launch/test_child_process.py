"""Runs in real child processes: their whole life, their deaths, and their place in the queue."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event
from threading import enumerate as enumerate_threads

import pytest
from filelock import FileLock, Timeout

from models.registry.checkpoint import load_checkpoint
from models.training.events import CheckpointSaved, RunFailed, RunFinished, RunStarted, RunStopped, as_one_run
from models.training.launch import child_process as process
from models.training.launch import launcher as rules
from models.training.launch.child_process import ProcessLauncher
from models.training.launch.part import DISK_FULL
from models.training.recipe.sections import DataConfig
from models.training.runs.collection import LOCK_FILE, RunError, UnknownRunError
from models.training.runs.request import LOST, RunState, RunStatus, new_token
from models.training.runs.run_folder import Run
from tests.fakes.training.processes import (
    LONG,
    events_of,
    later,
    launcher,
    request,
    steps_of,
    stop_all,
    wait_for_death,
    wait_for_end,
    wait_for_steps,
)
from tests.fakes.training.small_run import CONFIG, CPU, losses
from tests.fakes.training.small_run import run as run_here
from tests.messages import says
from tests.refusals import refused
from tests.waiting import wait

pytestmark = pytest.mark.slow


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ProcessLauncher]:
    server = launcher(tmp_path / "runs")
    yield server
    stop_all(server)


@pytest.mark.full
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs a signal that no process can catch")
def test_a_run_survives_stops_a_server_restart_and_a_kill(server: ProcessLauncher, tmp_path: Path) -> None:
    """A run that is interrupted in three ways has the losses of an uninterrupted one."""
    config = replace(CONFIG, epochs=60, evaluate_every=20)
    run = server.start(request(config))
    pid = _interrupt_by_the_file(server, run)
    assert not Path(f"/proc/{pid}").exists(), "the child stayed as a zombie"

    server.resume(run)
    wait_for_steps(run, 3)
    os.kill(run.status().pid, signal.SIGTERM)
    wait_for_end(run)
    assert run.state() is RunState.STOPPED

    server.resume(run)
    wait_for_steps(run, 25)
    os.kill(run.status().pid, signal.SIGKILL)
    wait_for_death(run)
    before = steps_of(events_of(run))[-1]
    assert launcher(server.runs.root).runs.find(run.id).state(later()) is RunState.LOST
    wait(lambda: run.state() is RunState.LOST)
    assert run.sentence() == LOST
    wait(lambda: run.log_tail(1) == "The process ended with code -9, signal 9.")  # a thread writes it

    server.resume(run)
    wait_for_end(run)
    assert run.state() is RunState.FINISHED, run.log_tail()
    resumed_at = [event.resumed_at for event in run.events()[0] if isinstance(event, RunStarted)][-1]
    assert before - config.evaluate_every <= resumed_at <= before
    events = events_of(run)
    assert isinstance(events[-1], RunFinished)
    assert losses(events) == losses(run_here(config, tmp_path / "whole"))
    assert steps_of(events) == list(range(1, events[-1].step + 1))
    with refused(RunError, "run_finished_already"):
        server.resume(run)


def _interrupt_by_the_file(server: ProcessLauncher, run: Run) -> int:
    """Stop the run by a server that did not start it, and return its pid."""
    wait_for_steps(run, 3)
    pid = run.status().pid
    restarted = launcher(server.runs.root)
    result = restarted.runs.find(run.id)
    assert result.state() is RunState.RUNNING
    with refused(RunError, "run_still_under_way"):
        restarted.resume(result)
    with refused(RunError, "run_under_way"):
        restarted.runs.remove(result)
    restarted.stop(result)
    assert result.state() in (RunState.STOPPING, RunState.STOPPED)
    wait_for_end(run)
    assert run.state() is RunState.STOPPED
    events = events_of(run)
    assert isinstance(events[0], RunStarted)
    assert isinstance(events[-1], RunStopped)
    assert run.status().step == events[-1].step == steps_of(events)[-1]
    assert "saved" in run.sentence()
    assert (run.folder / "state.safetensors").exists()
    load_checkpoint(run.last, CPU)
    wait(lambda: not Path(f"/proc/{pid}").exists())
    return pid


def test_a_run_that_cannot_begin_fails_with_the_reason(server: ProcessLauncher) -> None:
    data = DataConfig(task="translation", train="train.tsv", valid="valid.tsv", max_pieces=13)
    run = server.start(request(replace(CONFIG, data=data)), {"train.tsv": "a\tb\n" * 20})
    wait_for_end(run)
    assert run.state() is RunState.FAILED
    failed = events_of(run)[-1]
    assert isinstance(failed, RunFailed)
    assert says(failed.reason, "file_unreadable", name="valid.tsv")
    assert run.sentence() == failed.reason


@pytest.mark.full
@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit on another process's files")
def test_a_full_disk_leaves_the_last_good_checkpoint(server: ProcessLauncher) -> None:
    """The child may no longer write a file as large as its state, which it sees as a full disk."""
    import resource

    run = server.start(request(LONG))
    wait(lambda: (run.best / "config.json").exists() and (run.folder / "state.safetensors").exists())
    most = (run.folder / "state.safetensors").stat().st_size - 1
    _, hard = resource.prlimit(run.status().pid, resource.RLIMIT_FSIZE)
    resource.prlimit(run.status().pid, resource.RLIMIT_FSIZE, (most, hard))
    wait_for_end(run)
    assert run.state() is RunState.FAILED
    assert run.sentence() == DISK_FULL
    assert events_of(run)[-1] == RunFailed(DISK_FULL)
    for folder in (run.best, run.last):
        assert load_checkpoint(folder, CPU).model.num_parameters()
    saved = [event.step for event in events_of(run) if isinstance(event, CheckpointSaved)]
    server.resume(run)
    wait_for_steps(run, 1)
    started = [event for event in run.events()[0] if isinstance(event, RunStarted)][-1]
    assert started.resumed_at in saved


@pytest.mark.full
def test_runs_wait_for_the_device_in_turn(server: ProcessLauncher) -> None:
    """One trains, one waits and then trains, one is stopped while it waits; others are refused."""
    tokens = [new_token() for _ in range(4)]
    first = server.start(request(LONG, tokens[0], "first"))
    wait_for_steps(first, 1)
    second = server.start(request(CONFIG, tokens[1], "second"))
    third = server.start(request(CONFIG, tokens[2], "third"))
    with refused(RunError, "one_run_each"):
        server.start(request(CONFIG, tokens[0]))
    with refused(RunError, "queue_full"):
        launcher(server.runs.root, queue=2).start(request(CONFIG, tokens[3]))
    one, two = (
        f"Waiting for {others} to be done with the device." for others in ("1 other run", "2 other runs")
    )
    wait(lambda: (second.sentence(), third.sentence()) == (one, two))
    assert {second.state(), third.state()} == {RunState.QUEUED}
    assert tuple(server.runs.active_requests()) == (first, second, third)

    assert [run.id for run in server.runs.of(tokens[1])] == [second.id]
    assert server.runs.of(tokens[3]) == ()

    server.stop(third)
    wait_for_end(third)
    assert third.state() is RunState.STOPPED
    assert [type(event) for event in events_of(third)] == [RunStopped]
    assert first.state() is RunState.RUNNING
    server.stop(first)
    wait_for_end(second)
    assert second.state() is RunState.FINISHED, second.sentence()
    assert first.state() is RunState.STOPPED
    server.runs.remove(third)
    with pytest.raises(UnknownRunError):
        server.runs.find(third.id)


def test_a_child_that_cannot_import_its_program_is_reported_as_lost(
    server: ProcessLauncher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "models").mkdir()
    monkeypatch.setattr(process, "PROJECT_FOLDER", tmp_path)
    run = server.start(request())
    wait(lambda: run.state() is RunState.LOST)
    assert "No module named" in run.log_tail()


def test_training_can_be_switched_off(tmp_path: Path) -> None:
    with refused(RunError, "training_off"):
        launcher(tmp_path, enabled=False).start(request())
    assert list(tmp_path.iterdir()) == []


def test_no_run_starts_on_a_disk_that_is_nearly_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "NEEDED_DISK_BYTES", 1 << 62)
    with refused(RunError, "run_disk_nearly_full"):
        launcher(tmp_path / "absent" / "runs").start(request())


def test_a_process_that_cannot_be_started_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no-python"))
    server, token = launcher(tmp_path), new_token()
    with refused(RunError, "process_not_started"):
        server.start(request(token=token))
    (run,) = server.runs.of(token)
    assert run.state() is RunState.FAILED
    assert as_one_run(run.events()[0]) == []


class Child:
    """A child process that ends by a signal as soon as `dead` is set."""

    pid = 1

    def __init__(self) -> None:
        self.dead = Event()

    def wait(self) -> int:
        self.dead.wait()
        return -signal.SIGKILL


@pytest.fixture
def children(monkeypatch: pytest.MonkeyPatch) -> list[Child]:
    """The children that are started, which do nothing."""
    started: list[Child] = []

    def start(*_: object, **__: object) -> Child:
        started.append(Child())
        return started[-1]

    monkeypatch.setattr(process.subprocess, "Popen", start)
    return started


def test_the_late_end_of_a_process_does_not_affect_a_resumed_run(
    tmp_path: Path, children: list[Child]
) -> None:
    server = launcher(tmp_path / "runs")
    run = server.start(request())
    run.write_status(replace(run.status(), heartbeat=0.0))
    server.resume(run)
    waiting = {thread for thread in enumerate_threads() if thread.name == f"end of {run.id}"}
    children[0].dead.set()
    wait(lambda: any(not thread.is_alive() for thread in waiting))
    assert run.state() is RunState.QUEUED
    children[1].dead.set()
    wait(lambda: run.state() is RunState.LOST)


def test_no_run_can_be_resumed_while_the_end_of_its_process_is_recorded(
    tmp_path: Path, children: list[Child], monkeypatch: pytest.MonkeyPatch
) -> None:
    server, write, locked = launcher(tmp_path / "runs"), Run.write_status, []

    def note_lock(run: Run, status: RunStatus) -> None:
        try:
            with FileLock(server.runs.root / LOCK_FILE).acquire(timeout=0):
                locked.append(False)
        except Timeout:
            locked.append(True)
        write(run, status)

    run = server.start(request())
    monkeypatch.setattr(Run, "write_status", note_lock)
    children[0].dead.set()
    wait(lambda: run.state() is RunState.LOST)
    assert locked == [True]
