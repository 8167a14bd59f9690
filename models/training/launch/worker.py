"""The child process of one run: `python -m models.training.launch.worker RUN_FOLDER`.

It waits for the device before it loads torch, then does the work of the run. After SIGTERM, Ctrl+C or the
file STOP it saves and ends. Without RUN_FOLDER it loads torch at once, and reads the folder from standard
input.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import signal
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread

from filelock import FileLock, Timeout

from models.errors import Message
from models.training.events import RunFailed, RunFinished, RunStopped, TrainingEvent
from models.training.launch.part import do_part, failure_sentence, load_what_training_needs
from models.training.runs.collection import Runs, UnknownRunError
from models.training.runs.request import (
    GETTING_READY,
    STOPPED,
    STOPPED_WAITING,
    TRAINING,
    RunState,
    out_of_time,
)
from models.training.runs.run_folder import Run
from models.training.runs.writer import BusyError, RunWriter
from models.whole_file import opener

ONE_RUN, ANOTHER_PROGRAM = Message("one_run", "1 other run"), Message("another_program", "another program")
DEVICE_POLL_SECONDS = 0.5  # between two checks whether the device is free
BUSY_STATUS = 2  # the exit status of a second process for one run
NICENESS = 5  # the server of the page has priority


class Worker:
    """Takes one run from the queue to its end and leaves events and status behind."""

    def __init__(self, writer: RunWriter, minutes: int = 0, parameters: int = 0) -> None:
        """`minutes` and `parameters` are the most that a run may have; 0 = no cap."""
        self.run, self.writer, self.minutes, self.parameters = writer.run, writer, minutes, parameters
        self.signalled = False
        self.stop_reason: str = STOPPED
        self.outcome: RunStopped | RunFinished | None = None

    def work(self) -> None:
        """Do the work of the run. Its errors are recorded, not raised."""
        try:
            device = self.run.request.device
            lock = self._wait_for(device)
            if lock is None:
                self.writer.end(RunStopped(self.writer.step, STOPPED_WAITING))
                return
            with lock:
                self.writer.set_state(RunState.RUNNING, GETTING_READY)
                do_part(self.run, self._emit, self._should_stop, device=device, parameters=self.parameters)
            assert self.outcome is not None
            self.writer.end(self.outcome)
        except Exception as error:  # every error must be reported to the people who watch
            self.writer.end(RunFailed(failure_sentence(error)))

    def on_signal(self, *_: object) -> None:
        """Stop after this step: a handler for signals."""
        self.signalled = True

    def _should_stop(self) -> bool:
        """Whether a signal came, the file is there, or the minutes are over.

        Raises FileNotFoundError if the run's folder was removed.
        """
        if not self.run.request_file.exists():
            # Nobody can see this run any more, but it would use the device until its last epoch.
            raise FileNotFoundError(f"{self.run.folder} was removed")
        if self.minutes and self.writer.seconds > 60 * self.minutes:
            self.stop_reason = out_of_time(self.minutes)
            return True
        return self.signalled or self.run.stop_file.exists()

    def _wait_for(self, device: str) -> FileLock | None:
        """Wait for earlier runs, and return the acquired lock; None if asked to stop before that."""
        runs = Runs(self.run.folder.parent)
        lock = FileLock(runs.root / f"device-{device.replace(':', '-')}.lock")
        while not self._should_stop():
            earlier_runs = self._ahead(runs, device)
            if not any(other.status().state is RunState.QUEUED for other in earlier_runs):
                with suppress(Timeout):
                    lock.acquire(timeout=0)
                    return lock
            self.writer.set_state(RunState.QUEUED, _waiting(len(earlier_runs)))
            time.sleep(DEVICE_POLL_SECONDS)
        return None

    def _ahead(self, runs: Runs, device: str) -> list[Run]:
        """The runs that train on the device, and those that have waited for it longer."""
        own_position = self.run.status().queued_since, self.run.id
        result = []
        for other, request in runs.active_requests().items():
            if other.id != self.run.id and request.device == device:
                status = other.status()
                if status.state is not RunState.QUEUED or (status.queued_since, other.id) < own_position:
                    result.append(other)
        return result

    def _emit(self, event: TrainingEvent) -> None:
        if isinstance(event, RunStopped):
            event = replace(event, reason=self.stop_reason)
        if isinstance(event, RunStopped | RunFinished):
            self.outcome = event
        else:
            self.writer.set_state(RunState.RUNNING, TRAINING)
            self.writer.emit(event)


def _waiting(runs: int) -> Message:
    """The sentence for a run that waits for other runs, or for another program that has the device."""
    other_work = Message("other_runs", "{count} other runs", count=runs)
    if runs < 2:
        other_work = ONE_RUN if runs else ANOTHER_PROGRAM
    return Message("waiting_for", "Waiting for {others} to be done with the device.", others=other_work)


def _folder_once_known() -> Path | None:
    """Wait for the folder of a run, and print to its log from then on; None if no run came."""
    line = sys.stdin.buffer.readline()
    if not line:
        return None
    folder = Path(os.fsdecode(line.removesuffix(b"\n")))
    with open(Run(folder).log_file, "ab", opener=opener) as log:
        for stream in (sys.stdout, sys.stderr):
            os.dup2(log.fileno(), stream.fileno())
    return folder


def main() -> int:
    """The exit status: BUSY_STATUS if another process has the run. The run's status says how it ended."""
    parser = argparse.ArgumentParser(prog="python -m models.training.launch.worker", description=__doc__)
    parser.add_argument(
        "folder", type=Path, nargs="?", help="folder of a run; if not given, it is read from standard input"
    )
    parser.add_argument(
        "--minutes", type=int, default=0, help="minutes of training, earlier parts included; 0 = no cap"
    )
    parser.add_argument("--parameters", type=int, default=0, help="largest number of parameters; 0 = no cap")
    options = parser.parse_args()
    faulthandler.enable()
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    loading, folder = Thread(target=load_what_training_needs, name="loading"), options.folder
    if folder is None:
        loading.start()
        folder = _folder_once_known()
    if folder is None:
        return 0
    try:
        with RunWriter(Run(folder.absolute())) as writer:
            worker = Worker(writer, options.minutes, options.parameters)
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, worker.on_signal)
            if loading.is_alive():
                loading.join()  # two threads may not import the same at once
            worker.work()
    except (BusyError, UnknownRunError) as error:
        sys.stderr.write(f"{error}\n")
        return BUSY_STATUS
    return 0


if __name__ == "__main__":
    sys.exit(main())
