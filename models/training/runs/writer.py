"""Writes the events and the status of a run that works. Imports no torch."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from dataclasses import replace
from io import FileIO
from threading import Event, RLock, Thread
from types import TracebackType

from filelock import Timeout

from models.errors import UnrolledError
from models.training.events import RunFailed, RunFinished, RunStopped, TrainingEvent, event_json, step_of
from models.training.runs.collection import RUN_GONE, UnknownRunError
from models.training.runs.request import RunState, finished_sentence
from models.training.runs.run_folder import Run
from models.whole_file import opener

HEARTBEAT_SECONDS = 1.0  # between two heartbeats
LOCK_WAIT_SECONDS = 10.0  # a process that only tests the lock releases it within this time
RESERVED_BYTES = 64 << 10  # reserved on the disk, so that the reason of a failure can still be written

logger = logging.getLogger("unrolled")


class BusyError(UnrolledError, RuntimeError):
    """Another process writes this run."""


class RunWriter:
    """Holds a run's lock, appends to its events and writes its heartbeat until it is closed.

    Raises BusyError on entering if another process has the run, UnknownRunError if it was removed.
    """

    def __init__(self, run: Run, beat: float = HEARTBEAT_SECONDS) -> None:
        self.run, self._beat_seconds = run, beat
        self._file_lock, self._lock, self._done = run.lock(), RLock(), Event()
        self._spare = run.folder / "spare"

    def __enter__(self) -> RunWriter:
        if not self.run.folder.is_dir():  # taking the lock would create it again
            raise UnknownRunError(RUN_GONE)
        try:
            self._file_lock.acquire(timeout=LOCK_WAIT_SECONDS)
        except Timeout as error:
            raise BusyError("run_busy", "another process is running {run}", run=self.run.id) from error
        try:
            self._open()
        except BaseException:
            self._file_lock.release()
            raise
        return self

    def _open(self) -> None:
        before, now = self.run.status(), time.time()
        self._status = replace(before, state=RunState.QUEUED, pid=os.getpid(), heartbeat=now)
        self._earlier = before.seconds
        self._since: float | None = None  # monotonic time since which the run has had a device
        self._torn = _is_torn(self.run)
        # A buffer would keep text that a full disk refused.
        self._events = FileIO(self.run.events_file, "ab", opener=opener)
        self._try_to(lambda: self._spare.write_bytes(bytes(RESERVED_BYTES)))
        self._try_to(self._write)
        self._thread = Thread(target=self._beat, name=f"heartbeat of {self.run.id}", daemon=True)
        self._thread.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._done.set()
        self._thread.join()
        self._events.close()
        self._try_to(lambda: self._spare.unlink(missing_ok=True))
        self._file_lock.release()

    @property
    def step(self) -> int:
        """The last step in an event, earlier parts included."""
        return self._status.step

    @property
    def seconds(self) -> float:
        """The seconds in which the run had a device, earlier parts included."""
        return self._earlier + (0.0 if self._since is None else time.monotonic() - self._since)

    def set_state(self, state: RunState, message: str) -> None:
        """Change the status; `RUNNING` starts the clock."""
        with self._lock:
            if state is RunState.RUNNING and self._since is None:
                self._since = time.monotonic()
            changed = replace(self._status, state=state, message=message)
            if changed != self._status:
                self._status = changed
                self._try_to(self._write)

    def pause_clock(self) -> None:
        """Stop the clock: the run has no device for a while."""
        with self._lock:
            self._earlier, self._since = self.seconds, None

    def emit(self, event: TrainingEvent) -> None:
        """Append an event. Raises OSError."""
        line = event_json(event).encode("utf-8", "replace") + b"\n"
        with self._lock:
            unwritten = b"\n" + line if self._torn else line
            self._torn = True
            while unwritten:  # one call may write only a part
                unwritten = unwritten[self._events.write(unwritten) :]
            self._torn = False
            self._status = replace(self._status, step=step_of(event) or self._status.step)

    def end(self, last: RunFinished | RunStopped | RunFailed) -> None:
        """Write the last event and the status that follows from it, even if the disk is full."""
        self._done.set()
        self._thread.join()  # no heartbeat may follow
        self._try_to(lambda: self._spare.unlink(missing_ok=True))
        self._try_to(lambda: self.emit(last))
        if isinstance(last, RunFinished):
            self.set_state(RunState.FINISHED, finished_sentence(last.step))
        else:
            failed = isinstance(last, RunFailed)
            self.set_state(RunState.FAILED if failed else RunState.STOPPED, last.reason)

    def _beat(self) -> None:
        while not self._done.wait(self._beat_seconds):
            self._try_to(self._write)

    def _write(self) -> None:
        with self._lock:
            self._status = replace(self._status, heartbeat=time.time(), seconds=self.seconds)
            self.run.write_status(self._status)

    @staticmethod
    def _try_to(write: Callable[[], object]) -> None:
        """Write a status without failing: a full disk must not end a training that can go on."""
        try:
            write()
        except OSError as error:
            logger.warning("cannot write: %s", error)


def _is_torn(run: Run) -> bool:
    """Whether a killed process left an incomplete line."""
    try:
        with open(run.events_file, "rb", opener=opener) as file:
            file.seek(-1, os.SEEK_END)
            return file.read() != b"\n"
    except OSError:  # absent or empty
        return False
