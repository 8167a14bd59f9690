"""The child process of one run: `python -m models.training.launch.worker RUN_FOLDER`.

Waits for the device before it loads torch, then does what the run is for. SIGTERM, Ctrl+C or the file STOP
save first. Without RUN_FOLDER it loads torch at once, and reads the folder from standard input.
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
from models.training.runs.collection import Runs
from models.training.runs.run_folder import Run
from models.training.runs.status import (
    GETTING_READY,
    STOPPED_WAITING,
    TRAINING,
    RunState,
    finished,
    out_of_time,
)
from models.training.runs.writer import BusyError, RunWriter

ONE_RUN, ANOTHER_PROGRAM = Message("one_run", "1 other run"), Message("another_program", "another program")
POLL = 0.5  # seconds between two looks whether the device is free
BUSY = 2  # exit code of a second process for one run
NICENESS = 5  # whoever looks at the page goes first


class StopSigns:
    """Whether a run should stop: a signal came, the file is there, or its minutes are over (0 = no cap)."""

    def __init__(self, writer: RunWriter, minutes: int = 0) -> None:
        self.writer, self.minutes = writer, minutes
        self.signalled = False
        self.reason: str = writer.run.request.work.stopped

    def __call__(self) -> bool:
        """Asked after every step. Raises FileNotFoundError once somebody has removed the run's folder."""
        if not self.writer.run.request_file.exists():
            # Nobody sees this run any more, and it would hold the device until its last epoch.
            raise FileNotFoundError(f"{self.writer.run.folder} was removed")
        if self.minutes and self.writer.seconds > 60 * self.minutes:
            self.reason = out_of_time(self.minutes)
            return True
        return self.signalled or self.writer.run.stop_file.exists()

    def on_signal(self, *_: object) -> None:
        """A handler for signals."""
        self.signalled = True


class Worker:
    """Takes one run from the queue to its end and leaves events and status behind."""

    def __init__(self, writer: RunWriter, minutes: int = 0, parameters: int = 0) -> None:
        self.run, self.writer, self.parameters = writer.run, writer, parameters
        self.stop = StopSigns(writer, minutes)
        self.outcome: TrainingEvent | None = None

    def work(self) -> None:
        """Raises nothing that a run can fail of."""
        try:
            device = self.run.request.device
            lock = self._wait_for(device)
            if lock is None:
                stopped = RunStopped(self.writer.step, STOPPED_WAITING)
                self.writer.end(RunState.STOPPED, stopped.reason, stopped)
                return
            with lock:
                self.writer.set_state(RunState.RUNNING, GETTING_READY)
                do_part(self.run, self._emit, self.stop, device=device, parameters=self.parameters)
            self._end()
        except Exception as error:  # whoever watches must learn of it, whatever it is
            reason = failure_sentence(error)
            self.writer.end(RunState.FAILED, reason, RunFailed(reason))

    def _wait_for(self, device: str) -> FileLock | None:
        """The device's lock, held, when those who came before are done; None if asked to stop meanwhile."""
        runs = Runs(self.run.folder.parent)
        lock = FileLock(runs.root / f"device-{device.replace(':', '-')}.lock")
        while not self.stop():
            ahead = self._ahead(runs, device)
            if not any(other.status().state is RunState.QUEUED for other in ahead):
                with suppress(Timeout):
                    lock.acquire(timeout=0)
                    return lock
            self.writer.set_state(RunState.QUEUED, _waiting(len(ahead)))
            time.sleep(POLL)
        return None

    def _ahead(self, runs: Runs, device: str) -> list[Run]:
        """The runs that train on the device, and those that have waited for it longer."""
        mine = self.run.status().queued_since, self.run.id
        result = []
        for other in runs.active():
            if other.id != self.run.id and runs.request(other).device == device:
                status = other.status()
                if status.state is not RunState.QUEUED or (status.queued_since, other.id) < mine:
                    result.append(other)
        return result

    def _emit(self, event: TrainingEvent) -> None:
        if isinstance(event, RunStopped):
            event = replace(event, reason=self.stop.reason)
        if isinstance(event, RunStopped | RunFinished):
            self.outcome = event
        else:
            self.writer.set_state(RunState.RUNNING, TRAINING)
        self.writer.emit(event)

    def _end(self) -> None:
        if isinstance(self.outcome, RunStopped):
            self.writer.end(RunState.STOPPED, self.outcome.reason)
        else:
            self.writer.end(RunState.FINISHED, finished(self.writer.step))


def _waiting(runs: int) -> Message:
    """The sentence for runs that wait for others, or for a program that does not report itself."""
    others = Message("other_runs", "{count} other runs", count=runs)
    if runs < 2:
        others = ONE_RUN if runs else ANOTHER_PROGRAM
    return Message("waiting_for", "Waiting for {others} to be done with the device.", others=others)


def _folder_once_known() -> Path | None:
    """Wait for the folder of a run, and print to its log from then on; None if no run came."""
    line = sys.stdin.buffer.readline()
    if not line:
        return None
    folder = Path(os.fsdecode(line.removesuffix(b"\n")))
    with Run(folder).log_file.open("ab") as log:
        for stream in (sys.stdout, sys.stderr):
            os.dup2(log.fileno(), stream.fileno())
    return folder


def main() -> int:
    """Exit code `BUSY` if another process has the run; else what happened is in its status."""
    parser = argparse.ArgumentParser(prog="python -m models.training.launch.worker", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", help="folder of a run; read later if not given")
    parser.add_argument(
        "--minutes", type=int, default=0, help="of training, earlier parts included; 0 = no cap"
    )
    parser.add_argument("--parameters", type=int, default=0, help="largest network; 0 = no cap")
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
                signal.signal(number, worker.stop.on_signal)
            if loading.is_alive():
                loading.join()  # two threads may not import the same at once
            worker.work()
    except BusyError as error:
        sys.stderr.write(f"{error}\n")
        return BUSY
    return 0


if __name__ == "__main__":
    sys.exit(main())
