"""Runs in short chunks, for a machine that lends its GPU for a minute at a time. Imports torch late.

A chunk is a generator whose arguments and results are texts and numbers, so it may run in a forked process
that is killed at a deadline. The next chunk begins at the last saved state.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Iterator
from contextvars import Context, copy_context
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Thread

from filelock import FileLock

from models.training.events import (
    RunFailed,
    RunFinished,
    RunStarted,
    RunStopped,
    TrainingEvent,
    event_json,
    parse_event,
)
from models.training.launch import lent_time
from models.training.launch.launcher import Launcher, TrainingLimits
from models.training.launch.part import do_part, failure_sentence, load_what_training_needs
from models.training.runs.collection import Runs, UnknownRunError
from models.training.runs.request import STOPPED, STOPPED_WAITING, TRAINING, RunState, out_of_time
from models.training.runs.run_folder import Run
from models.training.runs.writer import BusyError, RunWriter

Chunk = Callable[[str, float, int], Iterator[str]]  # see train_chunk

CHUNK_SECONDS, MAX_CHUNK_SECONDS = 40.0, 100.0  # training time
MAX_FAILED_CHUNKS = 3  # consecutive chunks without a saved step
VISITOR_WAIT_SECONDS = 600.0  # a run waits this long for a visitor who looks at it
POLL_SECONDS = 0.2

logger = logging.getLogger("unrolled")


def train_chunk(folder: str, seconds: float, parameters: int = 0) -> Iterator[str]:
    """Continue a run for about `seconds`, save, and yield its events as lines of JSON.

    It ends without RunFinished, RunStopped or RunFailed if its time is up. Closing it saves and stops the
    run.
    """
    until, closed = time.monotonic() + seconds, Event()
    lines: SimpleQueue[str | None] = SimpleQueue()
    run = Run(Path(folder))
    worker = Thread(
        target=_train, args=(run, until, parameters, closed, lines.put), name="chunk", daemon=True
    )
    worker.start()
    try:
        while (line := lines.get()) is not None:
            yield line
    finally:
        closed.set()
        worker.join()


def chunk_duration(folder: str, seconds: float, parameters: int = 0) -> float:
    """Seconds of GPU time that a chunk declares; the arguments are those of `train_chunk`."""
    return seconds + lent_time.SAVING_SECONDS


def _train(
    run: Run, until: float, parameters: int, closed: Event, send: Callable[[str | None], None]
) -> None:
    """Send a chunk's events, then None. Runs in a thread, since the loop calls back and a chunk yields."""
    slowest, last_call = 0.0, math.inf

    def should_stop() -> bool:
        nonlocal slowest, last_call
        now = time.monotonic()
        slowest, last_call = max(slowest, now - last_call), now
        return run.stop_file.exists() or closed.is_set() or now + slowest > until

    def emit(event: TrainingEvent) -> None:
        if not isinstance(event, RunStopped):
            send(event_json(event))
        elif run.stop_file.exists():
            send(event_json(replace(event, reason=STOPPED)))

    try:
        from models.device import use_threads

        use_threads(1)  # a fork cannot use the threads that its parent's operators had
        with FileLock(run.folder / "chunk.lock", timeout=10):  # a chunk that is being killed may still write
            do_part(run, emit, should_stop, device=run.request.device, parameters=parameters)
    except Exception as error:  # the other process would get the exception's name only
        send(event_json(RunFailed(failure_sentence(error))))
    finally:
        send(None)


class ChunkLauncher(Launcher):
    """Runs in chunks, which a thread of the server drives. Each chunk needs a new request of a visitor.

    The GPU is lent to a visitor's request, for moments only. So each chunk runs in the context of the last
    request that asked about the run. Without such a request the run waits.
    """

    def __init__(self, runs: Runs, limits: TrainingLimits, chunk: Chunk) -> None:
        super().__init__(runs, limits)
        self.chunk, self.seconds, self.visitor_wait = chunk, CHUNK_SECONDS, VISITOR_WAIT_SECONDS
        self._driven: set[str] = set()  # runs that a thread of this server drives
        self._requests: dict[str, Context] = {}  # id of a run -> the last request, until a chunk uses it

    def attend(self, run: Run) -> None:
        """Use the request that calls this for the next chunk."""
        if run.id in self._driven:
            self._requests[run.id] = copy_context()

    def take_request(self, run: Run) -> Context | None:
        """Remove and return the last request that asked about a run; None if there is none."""
        return self._requests.pop(run.id, None)

    def _begin(self, run: Run) -> None:
        self._driven.add(run.id)
        self.attend(run)
        Thread(target=self._drive, args=(run,), name=f"driver of {run.id}", daemon=True).start()

    def _drive(self, run: Run) -> None:
        try:
            with RunWriter(run) as writer:
                try:
                    _Driver(self, writer).drive()
                except Exception as error:  # every error must be reported to the people who watch
                    writer.end(RunFailed(failure_sentence(error)))
        except (BusyError, UnknownRunError):
            return
        finally:
            self._driven.discard(run.id)
            self.take_request(run)


class _Driver:
    """A thread that drives chunk after chunk until there is an outcome."""

    def __init__(self, launcher: ChunkLauncher, writer: RunWriter) -> None:
        self.launcher, self.writer, self.run = launcher, writer, writer.run
        self.seconds = launcher.seconds
        self.quota: lent_time.Quota | None = None  # the quota in the last refusal, until a chunk has used it
        self.interrupted = True  # whether the steps after the last saved one will be repeated
        self.outcome: RunFinished | RunStopped | RunFailed | None = None

    def drive(self) -> None:
        load_what_training_needs()  # otherwise each fork would spend a second of lent time on it
        attempts, minutes = 0, self.launcher.limits.minutes
        while self.outcome is None:
            request = self._next_request()
            if request is None:
                continue
            saved, error = _saved_at(self.run), None
            try:
                self._chunk(request)
            except Exception as ended_by:
                error = ended_by
            else:
                self.quota = None
            self.interrupted = error is not None
            attempts = 0 if _saved_at(self.run) != saved else attempts + 1
            if self.outcome is None and (error or attempts):
                self._after(error or RuntimeError("it ended without a step"), attempts)
            if self.outcome is None and 0 < 60 * minutes < self.writer.seconds:
                self._stop(out_of_time(minutes))
        self.writer.end(self.outcome)

    def _next_request(self) -> Context | None:
        """Wait for a request; None with an outcome if none came, or if the run was stopped."""
        until = time.monotonic() + self.launcher.visitor_wait
        while not self.run.stop_file.exists():
            request = self.launcher.take_request(self.run)
            if request is not None:
                return request
            if time.monotonic() > until:
                self._stop(lent_time.NOBODY_LOOKED)
                return None
            self.writer.set_state(RunState.RUNNING, lent_time.WAITING_FOR_VISITOR)
            self.writer.pause_clock()
            time.sleep(POLL_SECONDS)
        self._stop(STOPPED if self.writer.step else STOPPED_WAITING)
        return None

    def _chunk(self, request: Context) -> None:
        """Record one chunk's events. Raises the error that ended it early."""
        self.writer.set_state(RunState.RUNNING, lent_time.asking_for(self.seconds))
        training = lent_time.training_with(self.quota) if self.quota else TRAINING
        lines = self.launcher.chunk(str(self.run.folder), self.seconds, self.launcher.limits.parameters)
        try:
            while (line := request.run(next, lines, None)) is not None:
                event = parse_event(line)
                if isinstance(event, RunFinished | RunStopped | RunFailed):
                    self.outcome = event
                # An uninterrupted chunk only continues where the previous one ended.
                elif self.interrupted or not isinstance(event, RunStarted):
                    self.writer.set_state(RunState.RUNNING, training)
                    self.writer.emit(event)
        finally:
            self.writer.pause_clock()

    def _after(self, error: Exception, attempts: int) -> None:
        """React to a chunk that was ended early."""
        title, text = getattr(error, "title", ""), getattr(error, "message", error)
        reason = " ".join(f"{title} {text}".split())[:200].rstrip(".")
        logger.warning("a chunk of %s ended early: %s: %s", self.run.id, type(error).__name__, reason)
        quota = lent_time.quota_in(reason)
        if quota is not None and (seconds := quota.training(self.seconds)):
            self.seconds, self.quota = seconds, quota
        elif quota is not None:
            self._stop(lent_time.used_up(quota))
        elif any(word in reason.lower() for word in lent_time.OTHER_REFUSALS):
            self._stop(lent_time.refusal(title or reason))
        elif attempts >= MAX_FAILED_CHUNKS:
            self.outcome = RunFailed(lent_time.given_up(attempts, reason))
        elif "illegal duration" in reason.lower():
            self.seconds /= 2
        elif attempts and "abort" in reason.lower():
            # An evaluation may take longer than a chunk.
            self.seconds = min(2 * self.seconds, MAX_CHUNK_SECONDS)

    def _stop(self, reason: str) -> None:
        self.outcome = RunStopped(self.writer.step, reason)


def _saved_at(run: Run) -> int:
    """The time at which the state was written last, in nanoseconds; 0 = never."""
    try:
        return (run.folder / "state.safetensors").stat().st_mtime_ns
    except OSError:
        return 0
