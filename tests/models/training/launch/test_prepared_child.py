"""The child that loads torch before its run is known."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from models.training.launch import child_process as process
from models.training.launch.child_process import ProcessLauncher
from models.training.runs.request import RunState
from tests.fakes.training.processes import LONG, launcher, request, stop_all, wait_for_end, wait_for_steps
from tests.waiting import wait

pytestmark = pytest.mark.slow


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ProcessLauncher]:
    server = launcher(tmp_path / "runs")
    yield server
    stop_all(server)


@pytest.fixture
def children(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """The processes that launchers have started, in order."""
    started: list[subprocess.Popen[bytes]] = []

    class Recorded(subprocess.Popen):  # type: ignore[type-arg]
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            started.append(self)

    monkeypatch.setattr(process.subprocess, "Popen", Recorded)
    return started


@pytest.mark.full
def test_a_prepared_child_takes_the_next_run_and_no_other(
    server: ProcessLauncher, children: list[subprocess.Popen[bytes]]
) -> None:
    server.prepare()
    server.prepare()
    (prepared,) = children
    run = server.start(request(LONG))
    wait_for_steps(run, 1)
    assert run.status().pid == prepared.pid
    assert children == [prepared]
    server.stop(run)
    wait_for_end(run)
    assert run.state() is RunState.STOPPED, run.log_tail()
    server.resume(run)
    wait_for_steps(run, 1)
    assert run.status().pid == children[1].pid != prepared.pid


def test_a_run_starts_without_a_dead_prepared_child(
    server: ProcessLauncher, children: list[subprocess.Popen[bytes]]
) -> None:
    server.prepare()
    children[0].kill()
    wait(lambda: children[0].poll() is not None)
    run = server.start(request())
    wait_for_end(run)
    assert run.state() is RunState.FINISHED, run.log_tail()
    assert run.status().pid == children[1].pid


def test_a_prepared_child_ends_when_no_run_comes(
    server: ProcessLauncher, children: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "IDLE_SECONDS", 0.0)
    server.prepare()
    wait(lambda: children[0].returncode == 0)


def test_no_child_is_prepared_if_training_is_off(
    tmp_path: Path, children: list[subprocess.Popen[bytes]]
) -> None:
    launcher(tmp_path, enabled=False).prepare()
    assert children == []
