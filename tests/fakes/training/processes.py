"""Training runs in real processes, and how to wait for them."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from models.training.events import StepCompleted, TrainingEvent, as_one_run
from models.training.launch.child_process import ProcessLauncher
from models.training.launch.launcher import Launcher, TrainingLimits
from models.training.recipe.config import TrainingConfig
from models.training.runs.collection import Runs
from models.training.runs.request import RunRequest, new_token
from models.training.runs.run_folder import LOST_AFTER_SECONDS, Run
from tests.fakes.training.small_run import CONFIG
from tests.waiting import wait

LONG = replace(CONFIG, epochs=100_000, evaluate_every=20)


def launcher(root: Path, **limits: int | bool) -> ProcessLauncher:
    """Return a server's launcher; a second one on the same root acts like a restarted server."""
    return ProcessLauncher(Runs(root), TrainingLimits(root=root, **limits))


def request(config: TrainingConfig = CONFIG, token: str = "", title: str = "A run") -> RunRequest:
    return RunRequest.new(title, config, token or new_token(), device="cpu")


def wait_for_steps(run: Run, steps: int) -> None:
    """Wait until the process has reported that many more steps."""
    _, position = run.events()

    def reported() -> bool:
        assert run.state().is_active, (run.sentence(), run.log_tail())
        return len(steps_of(run.events(position)[0])) >= steps

    wait(reported)


def wait_for_end(run: Run) -> None:
    wait(lambda: not run.state().is_active)


def wait_for_death(run: Run) -> None:
    wait(lambda: not run.is_held())


def steps_of(events: list[TrainingEvent]) -> list[int]:
    return [event.step for event in events if isinstance(event, StepCompleted)]


def events_of(run: Run) -> list[TrainingEvent]:
    """Each event of a run once, as pages read them."""
    return as_one_run(run.events()[0])


def later() -> float:
    """Return a time at which a process that is dead now counts as lost."""
    return time.time() + 2 * LOST_AFTER_SECONDS


def stop_all(by: Launcher) -> None:
    """Stop all runs and wait for their processes to end."""
    for run in tuple(by.runs.active_requests()):
        by.stop(run)
    wait(lambda: not any(run.is_held() for run in tuple(by.runs.active_requests())))
