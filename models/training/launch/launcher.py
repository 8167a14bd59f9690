"""The operator's limits, and the rules for starting a run, the same wherever it trains. Imports no torch."""

from __future__ import annotations

import shutil
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from models.environment import data_folder, variable
from models.errors import Message
from models.training.runs.collection import RunError, Runs, as_run_error
from models.training.runs.request import EXPERIMENT_GONE, STARTING, RunRequest, RunState
from models.training.runs.run_folder import EXIT_SECONDS, Run

TRAINING_OFF = Message(
    "training_off",
    "Training is switched off on this server. Run the program on a machine of your own to train.",
)
ONE_EACH = Message(
    "one_run_each", "You have a run under way. Stop it or wait for its end, then start the next."
)
QUEUE_FULL = Message("queue_full", "Too many runs wait for this device. Try again when some are done.")
DISK_NEARLY_FULL = Message(
    "run_disk_nearly_full",
    "The server's disk is nearly full, so a run could not save. Remove older runs first.",
)
NEEDED_DISK_BYTES = 200 << 20  # a run begins only with this much free space


@dataclass(frozen=True)
class TrainingLimits:
    """Caps on training."""

    enabled: bool = variable("UNROLLED_TRAINING", "`off`: no Training tab and no new runs", True)
    minutes: int = variable(
        "UNROLLED_TRAINING_MINUTES",
        "training time of one run, resumptions included; then it saves and stops",
        0,
        zero="no cap",
    )
    # A limit for the runs of all visitors together.
    queue: int = variable(
        "UNROLLED_TRAINING_QUEUE", "runs that may wait; one at a time trains on a device", 4
    )
    # A limit for one network.
    parameters: int = variable("UNROLLED_TRAINING_PARAMETERS", "largest network", 0, zero="no cap")
    root: Path = variable(
        "UNROLLED_RUNS",
        "where runs are stored; `--runs` overrides it",
        make=lambda: data_folder("runs"),
        sort="a folder",
        default_text="`~/.local/share/unrolled/runs` or its like",
    )
    # A limit for all runs on disk together.
    total_bytes: int = variable(
        "UNROLLED_RUNS_BYTES",
        "disk space of all runs; beyond it the oldest ended ones are removed, as for a visitor's 31st run",
        10 << 30,
        zero="no cap",
        unit="bytes",
    )


class Launcher(ABC):
    """Starts, resumes and stops runs, also those that another launcher started."""

    def __init__(self, runs: Runs, limits: TrainingLimits) -> None:
        self.runs, self.limits = runs, limits

    def start(self, request: RunRequest, data: Mapping[str, str] | None = None) -> Run:
        """Create a run and begin it; `data` holds the texts of its files by name. Raises RunError."""
        request = replace(request, device=self._device(request.device))
        with self._turn():
            self._check_limits(request)
            with as_run_error():
                run = self.runs.create(request, data)
                self._begin(run)
        return run

    def resume(self, run: Run) -> None:
        """Continue from the last saved state. Raises RunError, UnknownRunError."""
        with self._turn():
            request, state = self.runs.request(run), run.state()
            if request.is_experiment:
                raise RunError(EXPERIMENT_GONE)
            if state is RunState.FINISHED:
                raise RunError(
                    "run_finished_already",
                    "This run has finished. Fine-tune its checkpoint to train it further.",
                )
            if not state.can_resume or run.is_held(EXIT_SECONDS):
                raise RunError("run_still_under_way", "This run is still under way.")
            status = run.status()
            if 0 < 60 * self.limits.minutes <= status.seconds:
                raise RunError(
                    "run_minutes_over",
                    "This run has used the {minutes} min that this server allows.",
                    minutes=self.limits.minutes,
                )
            self._check_limits(request)
            now = time.time()
            waiting = replace(status, state=RunState.QUEUED, pid=0, heartbeat=now, queued_since=now)
            with as_run_error():
                run.stop_file.unlink(missing_ok=True)
                run.write_status(replace(waiting, message=STARTING))
                self._begin(run)

    def stop(self, run: Run) -> None:
        """Ask a run to save and end; one that has ended is left alone."""
        with suppress(OSError):
            run.ask_to_stop()

    def prepare(self) -> None:  # noqa: B027
        """Prepare for a run that may start within minutes, if that makes it begin sooner."""

    def attend(self, run: Run) -> None:  # noqa: B027
        """Note that a visitor is watching this run. A page calls this whenever it asks for the progress."""

    @abstractmethod
    def _begin(self, run: Run) -> None:
        """Let a worker train a run from now on. Raises RunError."""

    def _device(self, name: str) -> str:
        return name

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Lock the start of runs, for threads and processes, so that the limits hold. Raises RunError."""
        if not self.limits.enabled:
            raise RunError(TRAINING_OFF)
        with self.runs.turn():
            yield

    def _check_limits(self, request: RunRequest) -> None:
        active = self.runs.active_requests().values()
        if any(other.owner == request.owner for other in active):
            raise RunError(ONE_EACH)
        if sum(other.device == request.device for other in active) > self.limits.queue:
            raise RunError(QUEUE_FULL)
        with suppress(OSError):
            if shutil.disk_usage(self.runs.root).free < NEEDED_DISK_BYTES:
                raise RunError(DISK_NEARLY_FULL)
