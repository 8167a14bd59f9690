"""A run that is killed at any moment resumes and loses at most the steps since its last evaluation."""

from __future__ import annotations

import os
import random
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest

from models.registry.checkpoint import load_checkpoint
from models.training.events import RunStarted
from models.training.runs.request import RunState
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
    wait_for_steps,
)
from tests.fakes.training.small_run import CPU
from tests.faults.children import needs_fork

pytestmark = [pytest.mark.slow, pytest.mark.release, pytest.mark.timeout(3600), needs_fork]
KILLS = 20


def test_a_run_survives_twenty_kills(tmp_path: Path) -> None:
    server, chance = launcher(tmp_path / "runs"), random.Random(37)
    config = replace(LONG, evaluate_every=5)
    run = server.start(request(config))
    for _ in range(KILLS):
        wait_for_steps(run, 1)
        time.sleep(chance.uniform(0.0, 0.4))
        os.kill(run.status().pid, signal.SIGKILL)
        wait_for_death(run)
        reached = steps_of(events_of(run))[-1]
        assert run.state(later()) is RunState.LOST
        for folder in (run.best, run.last):
            if (folder / "config.json").is_file():  # a first save that was interrupted has written none
                load_checkpoint(folder, CPU)
        run.write_status(replace(run.status(), heartbeat=0.0))  # otherwise it counts as alive for seconds
        server.resume(run)
        wait_for_steps(run, 1)
        assert reached - resumed_at(run) <= config.evaluate_every
    stop_all(server)
    load_checkpoint(run.best, CPU)


def resumed_at(run: Run) -> int:
    """Return the step at which the run was last resumed."""
    return [event.resumed_at for event in run.events()[0] if isinstance(event, RunStarted)][-1]
