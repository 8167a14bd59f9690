"""Runs as child processes, which outlive the page and the server that started them. Imports no torch."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread

from models.errors import Message
from models.training.launch.launcher import Launcher
from models.training.launch.worker import BUSY_STATUS
from models.training.runs.collection import RunError
from models.training.runs.run_folder import Run
from models.training.runs.status import RunState

PROJECT_FOLDER = Path(__file__).parents[3]


class ProcessLauncher(Launcher):
    """One child per run, in its own session, so that signals for the server do not reach it."""

    def attend(self, run: Run) -> None:
        """Do nothing: a child needs no requests to go on."""

    def _begin(self, run: Run) -> None:
        command = [sys.executable, "-u", "-m", "models.training.launch.worker", str(run.folder.absolute())]
        queued_since = run.status().queued_since
        command += ["--minutes", str(self.limits.minutes), "--parameters", str(self.limits.parameters)]
        try:
            with run.log_file.open("ab") as log:
                child = subprocess.Popen(
                    command,
                    cwd=PROJECT_FOLDER,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                    close_fds=True,
                )
        except OSError as error:
            reason = Message(
                "process_not_started",
                "The process of this run could not be started ({reason}).",
                reason=error.strerror,
            )
            run.write_status(replace(run.status(), state=RunState.FAILED, message=reason))
            raise RunError(reason) from error
        # A child must be waited for; otherwise it stays in the process table until the server ends.
        Thread(target=_bury, args=(run, child, queued_since), name=f"end of {run.id}", daemon=True).start()

    def _device(self, name: str) -> str:
        """The device of a run: runs queue by device, so "auto" is resolved before."""
        if name != "auto":
            return name
        from models.device import available_devices

        return available_devices()[0]


def _bury(run: Run, child: subprocess.Popen[bytes], queued_since: float) -> None:
    """Wait for a child's end. If it reported no end and the run was not resumed, mark the run as lost."""
    code = child.wait()
    status = run.status()
    if (
        status.queued_since != queued_since
        or code in (0, BUSY_STATUS)
        or not status.state.is_active
        or status.pid not in (0, child.pid)
        or run.is_held()
    ):
        return
    with suppress(OSError):
        with run.log_file.open("a", encoding="utf-8") as log:
            log.write(f"The process ended with code {code}" + (f", signal {-code}.\n" if code < 0 else ".\n"))
        run.write_status(replace(status, heartbeat=0.0))
