"""Trainings of labs as jobs: each step gives way to decodings that wait, and shows what was learnt so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass

from demo.i18n import later, say
from demo.i18n.display import number_text
from demo.work.jobs import Job, JobLimits, Jobs, JobStage, JobStatus
from demo.work.operator.caps import LAB
from demo.work.requests.caller import LEFT_QUEUE, owner
from demo.work.requests.checks import RequestError
from demo.work.turns import Turns
from models.labs.progress import Progress, memory_bytes

SLICE_SECONDS = 0.1  # seconds after which a training lets a decoding go on, if one waits
COPY_SECONDS = 0.2  # seconds between two copies of what was learnt so far
SETTINGS_CHANGED = later("Stopped because you changed what is trained.")
TOO_LONG = later("This ran for more than {seconds} s and was stopped.")
FULL = later("{count} trainings are in the queue already. Try again in a minute.")
TRAINING_LIMITS = JobLimits(
    running=LAB.running,
    waiting=LAB.waiting,
    seconds=LAB.seconds,
    absent_seconds=10.0,
    kept_seconds=300.0,
    max_kept=100,
    kept_bytes=64 << 20,
    max_kept_of_visitor=4,
)

Steps = Callable[[], Iterator[Progress[object]]]


@dataclass(frozen=True)
class Subject:
    """A lab with its settings, and the visitor's session."""

    session: str
    lab: str
    settings: Hashable  # all that the training depends on


class LiveTraining:
    """The trainings of all visitors. A visitor has one under way; beginning another ends it."""

    def __init__(
        self,
        turns: Turns,
        limits: JobLimits = TRAINING_LIMITS,
        clock: Callable[[], float] = time.monotonic,
        effort: Callable[[], float] = time.thread_time,
    ) -> None:
        """`effort` counts the seconds of the processor that the calling thread has used."""
        self._turns, self._limits = turns, limits
        self._clock, self._effort = clock, effort
        self._jobs = Jobs[Subject, Steps]("lab training", self._train, limits, FULL, clock)

    def begin(self, subject: Subject, steps: Steps) -> None:
        """Train anew, unless that is under way. Raises RequestError if the queue is full."""
        self._jobs.begin(subject, steps, owner() or subject.session, reuse=False)

    def status(self, subject: Subject) -> JobStatus | None:
        """The status of a training, if it has begun or waits.

        Ends all else that this session trains: the visitor has turned to something else.
        """
        self._jobs.stop(
            lambda other: other.session == subject.session and other != subject, say(SETTINGS_CHANGED)
        )
        job = self._jobs.find(subject)
        has_left_the_line = job is not None and job.stage is JobStage.STOPPED and job.began is None
        return None if has_left_the_line else self._jobs.status(subject)

    def result(self, subject: Subject) -> object | None:
        """The latest copy of what a training has learnt, if there is one; never changed later."""
        job = self._jobs.find(subject)
        return None if job is None else job.result

    def stop(self, session: str) -> None:
        """End the trainings of a session after their step; their results are kept."""
        self._jobs.stop(lambda subject: subject.session == session)

    def _train(self, job: Job[Subject, Steps]) -> None:
        try:
            with self._turns.turn(job.watch, SLICE_SECONDS):
                self._take_steps(job)
        finally:
            job.size = memory_bytes(job.result)

    def _take_steps(self, job: Job[Subject, Steps]) -> None:
        """Take the steps, with copies of what was learnt now and then. Raises RequestError if stopped."""
        copied, effort, progress = float("-inf"), self._effort(), None
        for progress in job.task():
            begins = job.share == 0 < progress.share  # there is something to see for the first time
            job.share = progress.share
            if begins or self._clock() - copied >= COPY_SECONDS:
                job.result, copied = progress.result(), self._clock()
            job.watch.let_others_run()
            if self._effort() - effort > self._limits.seconds:
                job.reason = say(TOO_LONG, seconds=number_text(self._limits.seconds, 0))
                job.watch.cancelled.set()
            if self._jobs.is_abandoned(job):
                job.watch.cancelled.set()
            if job.watch.cancelled.is_set():
                job.result = progress.result()
                raise RequestError(LEFT_QUEUE)
        if progress is not None:
            job.result = progress.result()
