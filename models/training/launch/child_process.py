"""Runs as child processes, which outlive the page and the server that started them. Imports no torch."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Lock, Thread, Timer
from typing import IO

from models.errors import Message
from models.training.launch.launcher import Launcher, TrainingLimits
from models.training.launch.worker import BUSY_STATUS
from models.training.runs.collection import RunError, Runs
from models.training.runs.request import RunState
from models.training.runs.run_folder import Run
from models.whole_file import opener

PROJECT_FOLDER = Path(__file__).parents[3]
IDLE_SECONDS = 300.0  # a prepared child, which takes the memory of torch, waits so long for a run


class ProcessLauncher(Launcher):
    """One child per run, in its own session, so that signals for the server do not reach it."""

    def __init__(self, runs: Runs, limits: TrainingLimits) -> None:
        super().__init__(runs, limits)
        self._prepared: subprocess.Popen[bytes] | None = None  # a child that waits for a run
        self._lock = Lock()

    def prepare(self) -> None:
        """Start the child of the next run, unless one waits already; it ends by itself if no run comes."""
        with self._lock, suppress(OSError):
            if self.limits.enabled and (self._prepared is None or self._prepared.poll() is not None):
                self._prepared = child = self._child(subprocess.PIPE, subprocess.DEVNULL)
                timer = Timer(IDLE_SECONDS, self._dismiss, (child,))
                timer.daemon = True
                timer.start()

    def _dismiss(self, child: subprocess.Popen[bytes]) -> None:
        with self._lock:
            if self._prepared is not child:
                return
            self._prepared = None
        child.communicate()  # closes its input, which ends it

    def _begin(self, run: Run) -> None:
        queued_since = run.status().queued_since
        try:
            child = self._prepared_for(run)
            if child is None:
                with open(run.log_file, "ab", opener=opener) as log:
                    child = self._child(subprocess.DEVNULL, log, str(run.folder.absolute()))
        except OSError as error:
            reason = Message(
                "process_not_started",
                "The process of this run could not be started ({reason}).",
                reason=error.strerror,
            )
            run.write_status(replace(run.status(), state=RunState.FAILED, message=reason))
            raise RunError(reason) from error
        # A child must be waited for; otherwise it stays in the process table until the server ends.
        Thread(
            target=self._record_exit, args=(run, child, queued_since), name=f"end of {run.id}", daemon=True
        ).start()

    def _record_exit(self, run: Run, child: subprocess.Popen[bytes], queued_since: float) -> None:
        """Wait for a child's end. If it reported no end and the run was not resumed, mark the run as lost."""
        code = child.wait()
        if code in (0, BUSY_STATUS) or not run.folder.is_dir():
            return
        # Nobody may resume the run between reading its status and writing it.
        with suppress(OSError, RunError), self._turn():
            status = run.status()
            if (
                status.queued_since != queued_since
                or not status.state.is_active
                or status.pid not in (0, child.pid)
                or run.is_held()
            ):
                return
            with open(run.log_file, "a", encoding="utf-8", opener=opener) as log:
                signal = f", signal {-code}" if code < 0 else ""
                log.write(f"The process ended with code {code}{signal}.\n")
            run.write_status(replace(status, heartbeat=0.0))

    def _prepared_for(self, run: Run) -> subprocess.Popen[bytes] | None:
        """Give the run to the child that waits for one, and return the child; None if no child waits."""
        with self._lock:
            child, self._prepared = self._prepared, None
            if child is None or child.poll() is not None or child.stdin is None:
                return None
            with suppress(BrokenPipeError), child.stdin as pipe:
                pipe.write(os.fsencode(run.folder.absolute()) + b"\n")
                pipe.flush()
                return child
            return None

    def _child(self, stdin: int, output: int | IO[bytes], *folder: str) -> subprocess.Popen[bytes]:
        """Start a worker. Raises OSError."""
        command = [sys.executable, "-u", "-m", "models.training.launch.worker", *folder]
        command += ["--minutes", str(self.limits.minutes), "--parameters", str(self.limits.parameters)]
        return subprocess.Popen(
            command,
            cwd=PROJECT_FOLDER,
            stdin=stdin,
            stdout=output,
            stderr=output,
            start_new_session=True,
            close_fds=True,
        )

    def _device(self, name: str) -> str:
        """The device of a run. Runs queue by device, so "auto" is resolved before a run queues."""
        if name != "auto":
            return name
        from models.device import available_devices

        return available_devices()[0]
