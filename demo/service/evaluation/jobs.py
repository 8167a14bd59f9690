"""Evaluations that go on while their visitors look on, or reload the page: one at a time, others in line.

Who asks for what somebody else has asked for gets the same one. What is done is kept for a while, for whoever
knows its secret key.
"""

from __future__ import annotations

import hashlib
import json
import logging
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from contextvars import Context, copy_context
from dataclasses import dataclass, field, replace
from enum import Enum
from threading import Lock, Thread

from demo.errors import failure_message
from demo.i18n import later
from demo.operator.work import EVALUATION
from demo.requests.listener import heard_by
from demo.requests.owner import owner
from demo.service.context import AppContext
from demo.service.decoding.watch import Watch
from demo.service.evaluation.request import EvaluateRequest
from demo.service.evaluation.run import evaluated
from demo.service.waiting_line import WaitingLine
from models.errors import Message
from models.evaluation.report.evaluation_report import EvaluationReport, as_json
from models.registry.name import CheckpointName
from models.registry.registry import Registry

SLICE = 0.1  # seconds after which an evaluation lets a decoding go on, if one waits
ABSENT = 60.0  # seconds without a question, after which all its visitors have left
FULL = later("{count} evaluations wait in line already. Try again in a minute.")
BEGINS = Message("evaluation_begins", "Loading the checkpoints.")

logger = logging.getLogger("unrolled")


@dataclass(frozen=True)
class Limits:
    """What one server gives to evaluations."""

    running: int = EVALUATION.running
    waiting: int = EVALUATION.waiting
    seconds: float = EVALUATION.seconds  # at the processor
    kept_seconds: float = 7200.0  # since it was last asked for
    kept: int = 40
    kept_bytes: int = 128 << 20


class Stage(Enum):
    """Where an evaluation is."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True)
class Report:
    """How an evaluation goes."""

    stage: Stage
    position: int = 0  # in line, 1 is the next; 0 is in none
    share: float = 0.0  # of it that is done, 0 to 1
    what: str = ""  # is being done: a Message, or the name of a system
    seconds: float | None = None  # that are left, once that can be said
    reason: str = ""  # why it failed


@dataclass(eq=False)
class _Job:
    request: EvaluateRequest
    digest: str
    without_widths: EvaluationReport | None  # the report of the same request without its widths, if cached
    asked: float  # when somebody last asked, by the clock
    key: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    owners: set[str] = field(default_factory=set)
    context: Context = field(default_factory=copy_context)  # language and owner of who began it
    watch: Watch = field(default_factory=Watch)
    stage: Stage = Stage.WAITING
    began: float = 0.0
    share: float = 0.0
    what: str = BEGINS
    result: EvaluationReport | None = None
    size: int = 0  # characters of the result, as JSON
    reason: str = ""


class Evaluations:
    """All visitors' evaluations. A visitor has one under way; beginning another leaves the one before."""

    def __init__(
        self,
        context: AppContext,
        limits: Limits | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._context, self._limits, self._clock = context, limits or Limits(), clock
        self._lock = Lock()
        self._line = WaitingLine[_Job](self._limits.running, self._limits.waiting, FULL)
        self._over: OrderedDict[str, _Job] = OrderedDict()  # by key; the one asked for last is last

    def begin(self, request: EvaluateRequest) -> str:
        """The key of an evaluation that begins as soon as there is room.

        Raises RequestError in a full line, UnknownCheckpointError.
        """
        digest, whose = _digest(self._context.registry, request), owner()
        with self._lock:
            self._forget()
            same = next((each for each in self._all() if each.digest == digest and _is_shared(each)), None)
            for other in self._line:
                if whose in other.owners and other is not same:
                    self._leave(other, whose)
            if same is None:
                same = self._added(request, digest)
            same.owners.add(whose)
            same.asked = self._clock()
            self._promote()
            return same.key

    def look(self, key: str) -> Report | None:
        """How it goes; None if it is not kept any more. Its visitor is known to be there."""
        with self._lock:
            self._forget()
            found = self._find(key)
            if found is None:
                return None
            found.asked = self._clock()
            return self._report(found)

    def result(self, key: str) -> EvaluationReport | None:
        """The report of an evaluation that is done; None of any other."""
        with self._lock:
            job = self._find(key)
            return None if job is None else job.result

    def request(self, key: str) -> EvaluateRequest | None:
        """What was asked."""
        with self._lock:
            job = self._find(key)
            return None if job is None else job.request

    def stop(self, key: str) -> None:
        """Take this visitor off; it ends if nobody else wants it."""
        with self._lock:
            found = self._find(key)
            if found is not None and found in self._line:
                self._leave(found, owner())

    def _added(self, request: EvaluateRequest, digest: str) -> _Job:
        plain = _digest(self._context.registry, replace(request, widths=())) if request.widths else None
        without_widths = next((each.result for each in self._over.values() if each.digest == plain), None)
        with heard_by(None):  # no stream of an answer ends it: the page asks again and again
            job = _Job(request, digest, without_widths, self._clock())
        job.watch.seconds = self._limits.seconds
        self._line.enter(job)
        return job

    def _all(self) -> list[_Job]:
        return [*self._line, *self._over.values()]

    def _find(self, key: str) -> _Job | None:
        if key in self._over:
            self._over.move_to_end(key)
            return self._over[key]
        return next((each for each in self._line if each.key == key), None)

    def _report(self, job: _Job) -> Report:
        if job.stage is Stage.WAITING:
            return Report(Stage.WAITING, self._line.place(job))
        seconds = None
        if job.stage is Stage.RUNNING and job.share > 0.02:
            seconds = (self._clock() - job.began) * (1 - job.share) / job.share
        return Report(job.stage, 0, job.share, job.what, seconds, job.reason)

    def _leave(self, job: _Job, whose: str) -> None:
        job.owners.discard(whose)
        if not job.owners:
            self._end(job)

    def _end(self, job: _Job) -> None:
        """One that waits is over at once, one that runs after its batch."""
        job.watch.cancelled.set()
        if job.stage is Stage.WAITING:
            self._line.leave(job)
            job.stage = Stage.STOPPED
            self._over[job.key] = job

    def _promote(self) -> None:
        for job in self._line.begin():
            job.stage, job.began = Stage.RUNNING, self._clock()
            Thread(target=job.context.run, args=(self._work, job), name="evaluation", daemon=True).start()

    def _forget(self) -> None:
        """End what nobody asks about, and drop of what is over whatever is old or too much."""
        now, limits = self._clock(), self._limits
        for job in self._line:
            if now - job.asked > ABSENT and not job.watch.cancelled.is_set():
                self._end(job)
        size = sum(each.size for each in self._over.values())
        for key, job in list(self._over.items()):  # the longest unasked first
            old = now - job.asked > limits.kept_seconds
            if old or len(self._over) > limits.kept or size > limits.kept_bytes:
                del self._over[key]
                size -= job.size

    def _work(self, job: _Job) -> None:
        """In a thread of its own, until it is over; then whoever is next begins."""

        def told(what: str, share: float) -> None:
            job.what, job.share = what, share

        try:
            job.result = evaluated(self._context, job.request, job.watch, told, SLICE, job.without_widths)
            job.size, stage = len(json.dumps(as_json(job.result))), Stage.DONE
        except Exception as error:
            stage, job.reason = Stage.FAILED, failure_message(error, "an evaluation")
        if stage is Stage.FAILED and job.watch.cancelled.is_set():
            stage, job.reason = Stage.STOPPED, ""
        with self._lock:
            self._line.leave(job)
            job.stage = stage
            self._over[job.key] = job
            self._forget()
            self._promote()


def _is_shared(job: _Job) -> bool:
    """Whether who asks for the same may have this one."""
    under_way = job.stage in (Stage.WAITING, Stage.RUNNING) and not job.watch.cancelled.is_set()
    return under_way or job.stage is Stage.DONE


def _digest(registry: Registry, request: EvaluateRequest) -> str:
    """Of what is asked, and of whom: a run that trains writes its checkpoint anew under the same name."""
    versions = [registry.version(CheckpointName.of(each.checkpoint).base) for each in request.systems]
    return hashlib.sha256(repr((request, versions)).encode("utf-8", "surrogatepass")).hexdigest()
