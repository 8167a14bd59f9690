"""Jobs that visitors follow, share and stop. A few run at once, each in a thread; others wait."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Hashable
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from enum import Enum
from math import inf
from threading import Lock, Thread
from typing import Any, Generic, TypeVar

from demo.work.errors import failure_message
from demo.work.requests.caller import heard_by
from demo.work.requests.checks import RequestError
from demo.work.watch import Watch

MIN_SHARE_FOR_ESTIMATE = 0.02  # share of a job that must be done before its remaining time is estimated

Key = TypeVar("Key", bound=Hashable)
Task = TypeVar("Task")


@dataclass(frozen=True, kw_only=True)
class JobLimits:
    """The limits of one kind of job: how many run, wait and are kept, and for how long."""

    running: int
    waiting: int
    seconds: float  # the most that one job runs, without its pauses
    absent_seconds: float  # seconds without a status request after which a job is stopped
    kept_seconds: float  # seconds since the last status request after which a job is dropped
    max_kept: int
    kept_bytes: int
    max_kept_of_visitor: float = inf  # jobs of one visitor


class JobStage(Enum):
    """The stage of a job."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True)
class JobStatus:
    """The status of a job, as its visitors see it."""

    stage: JobStage
    position: int = 0  # its position in the queue: 1 is the next; 0 if the job does not wait
    share: float = 0.0  # the share that is done, 0 to 1
    activity: str = ""  # a Message or a name
    seconds: float | None = None  # seconds left; None before they can be estimated
    reason: str = ""  # why it stopped or failed, for `demo.work.errors.sentence`


@dataclass(eq=False)
class Job(Generic[Key, Task]):
    """One job. Its work sets `share`, `activity`, `result` and `size`; `watch.cancelled` makes it end."""

    key: Key
    task: Task
    last_request: float  # the clock's time of the last status request
    owners: set[str] = field(default_factory=set)
    context: Context = field(default_factory=copy_context)  # language and owner of the first request
    watch: Watch = field(default_factory=Watch)
    stage: JobStage = JobStage.WAITING
    began: float | None = None  # the clock's time of the start
    share: float = 0.0
    activity: str = ""
    result: Any = None  # a new object for each change
    size: int = 0  # bytes of the result
    reason: str = ""

    def is_under_way(self) -> bool:
        """Whether the job waits or runs, and is not cancelled."""
        return self.stage in (JobStage.WAITING, JobStage.RUNNING) and not self.watch.cancelled.is_set()


class Jobs(Generic[Key, Task]):
    """All jobs of one kind, by key. Safe to use from several threads.

    A visitor has one job under way: beginning another leaves the one before. A job ends when its last visitor
    leaves it. Finished jobs are kept for a while; those with the oldest status request are dropped first.
    """

    def __init__(
        self,
        name: str,
        work: Callable[[Job[Key, Task]], None],
        limits: JobLimits,
        queue_full: str,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`work` runs in a thread; `queue_full` is shown if the queue is full, with `count` jobs waiting."""
        self._name, self._work, self._limits, self._queue_full = name, work, limits, queue_full
        self._clock, self._lock = clock, Lock()
        self._waiting: list[Job[Key, Task]] = []  # in order of arrival, as are the running ones
        self._running: list[Job[Key, Task]] = []
        self._finished: dict[Key, Job[Key, Task]] = {}

    def begin(self, key: Key, task: Task, owner: str, *, reuse: bool = True) -> None:
        """Join the job of this key that is under way; with `reuse`, also one that is done. Else begin one.

        Raises RequestError if the queue is full.
        """
        with self._lock:
            self._forget()
            job = self._find(key)
            if job is not None and not (job.is_under_way() or (reuse and job.stage is JobStage.DONE)):
                job = None
            for other in self._unfinished_jobs():
                if owner in other.owners and other is not job:
                    self._leave(other, owner)
            if job is None:
                job = self._add(key, task)
            job.owners.add(owner)
            job.last_request = self._clock()
            self._promote()

    def find(self, key: Key) -> Job[Key, Task] | None:
        """The job of this key, if it is unfinished or kept. Counts as a status request."""
        with self._lock:
            self._forget()
            job = self._find(key)
            if job is not None:
                job.last_request = self._clock()
            return job

    def status(self, key: Key) -> JobStatus | None:
        """The status of a job, if it is unfinished or kept. Counts as a status request."""
        job = self.find(key)
        if job is None:
            return None
        with self._lock:
            if job in self._waiting:
                return JobStatus(job.stage, self._waiting.index(job) + 1)
            seconds = None
            if job.stage is JobStage.RUNNING and job.began is not None and job.share > MIN_SHARE_FOR_ESTIMATE:
                seconds = (self._clock() - job.began) * (1 - job.share) / job.share
            return JobStatus(job.stage, 0, job.share, job.activity, seconds, job.reason)

    def leave(self, key: Key, owner: str) -> None:
        """Remove a visitor from a job, which ends if it has no other visitor."""
        with self._lock:
            job = self._find(key)
            if job is not None and job in self._unfinished_jobs():
                self._leave(job, owner)

    def stop(self, matches: Callable[[Key], bool], reason: str = "") -> None:
        """End the unfinished jobs whose keys match."""
        with self._lock:
            for job in self._unfinished_jobs():
                if matches(job.key):
                    self._end(job, reason)

    def is_abandoned(self, job: Job[Key, Task]) -> bool:
        """Whether a job has had no status request for `absent_seconds`."""
        return self._clock() - job.last_request > self._limits.absent_seconds

    def _unfinished_jobs(self) -> list[Job[Key, Task]]:
        """The jobs that run or wait, cancelled ones included."""
        return [*self._running, *self._waiting]

    def _find(self, key: Key) -> Job[Key, Task] | None:
        jobs = [job for job in self._unfinished_jobs() if job.key == key]
        return jobs[-1] if jobs else self._finished.get(key)  # the jobs before the last are cancelled

    def _add(self, key: Key, task: Task) -> Job[Key, Task]:
        if len(self._waiting) >= self._limits.waiting:
            raise RequestError("waiting_line_full", self._queue_full, count=len(self._waiting))
        with heard_by(None):  # a job outlives the request that starts it
            job = Job(key, task, self._clock())
        self._waiting.append(job)
        self._finished.pop(key, None)
        return job

    def _promote(self) -> None:
        """Start the first jobs of the queue while there is room."""
        while self._waiting and len(self._running) < self._limits.running:
            job = self._waiting.pop(0)
            self._running.append(job)
            job.stage, job.began = JobStage.RUNNING, self._clock()
            Thread(target=job.context.run, args=(self._run, job), name=self._name, daemon=True).start()

    def _run(self, job: Job[Key, Task]) -> None:
        """Do the work of a job in its thread, then start the next job."""
        try:
            self._work(job)
            stage, job.reason = JobStage.DONE, ""
        except Exception as error:
            reason, stage = failure_message(error, self._name), JobStage.STOPPED
            if not job.watch.cancelled.is_set():
                stage, job.reason = JobStage.FAILED, reason
        with self._lock:
            self._running.remove(job)
            self._keep(job, stage)
            self._forget()
            self._promote()

    def _leave(self, job: Job[Key, Task], owner: str) -> None:
        job.owners.discard(owner)
        if not job.owners:
            self._end(job)

    def _end(self, job: Job[Key, Task], reason: str = "") -> None:
        """End a job: at once if it waits, otherwise when its work checks the watch."""
        if job.watch.cancelled.is_set():
            return
        job.reason = reason
        job.watch.cancelled.set()
        if job in self._waiting:
            self._waiting.remove(job)
            self._keep(job, JobStage.STOPPED)

    def _keep(self, job: Job[Key, Task], stage: JobStage) -> None:
        job.stage = stage
        if all(other.key != job.key for other in self._unfinished_jobs()):
            self._finished[job.key] = job

    def _forget(self) -> None:
        """End abandoned jobs, and drop finished jobs that exceed the limits."""
        for job in filter(self.is_abandoned, self._unfinished_jobs()):
            self._end(job)
        limits, oldest = self._limits, self._clock() - self._limits.kept_seconds
        size = sum(job.size for job in self._finished.values())
        of_one = Counter(owner for job in self._finished.values() for owner in job.owners)
        for job in sorted(self._finished.values(), key=lambda job: job.last_request):
            too_much = len(self._finished) > limits.max_kept or size > limits.kept_bytes
            too_many = any(of_one[owner] > limits.max_kept_of_visitor for owner in job.owners)
            if job.last_request < oldest or too_much or too_many:
                del self._finished[job.key]
                size -= job.size
                of_one.subtract(job.owners)
