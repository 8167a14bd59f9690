"""Trainings of labs while their readers look on: two at a time, the others wait in line.

Each step gives way to decodings that wait, as a look into a network does; a training whose visitor no longer
asks how it goes is ended and forgotten.
"""

from __future__ import annotations

import logging
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from enum import Enum
from threading import Lock, Thread

from demo.errors import failure_text
from demo.i18n import later, say
from demo.operator.work import LAB
from demo.requests.owner import owner
from demo.service.decoding.turns import Turns
from demo.service.decoding.watch import Watch
from demo.service.waiting_line import WaitingLine
from models.labs.progress import Progress, memory_bytes

SLICE = 0.1  # seconds after which a training lets a decoding go on, if one waits
INTERVAL = 0.2  # seconds between two copies of what was learnt so far
ABSENT = 10.0  # seconds without a question, after which the visitor has left
CHANGED = later("Stopped, since you have changed what is trained.")
LONG = later("This took more than {seconds} s of the processor and was stopped.")
FULL = later("{count} trainings wait in line already. Try again in a minute.")

logger = logging.getLogger("unrolled")


@dataclass(frozen=True)
class Limits:
    """What one server gives to trainings of labs."""

    running: int = LAB.running
    waiting: int = LAB.waiting
    effort: float = LAB.seconds  # seconds of the processor for one of them
    kept_seconds: float = 300.0  # since it was last asked for: of what is over, as are the next three
    kept: int = 100
    kept_of_one: int = 4  # by one visitor
    kept_bytes: int = 64 << 20


@dataclass(frozen=True)
class Subject:
    """What is trained, and for whom."""

    session: str
    lab: str
    settings: Hashable  # all that the training hangs on


class Stage(Enum):
    """Where a training is."""

    WAITING = "waiting"
    TRAINING = "training"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True)
class Report:
    """How a training goes."""

    stage: Stage
    position: int = 0  # in line, 1 is the next; 0 is in none
    share: float = 0.0  # of its steps that are done, 0 to 1
    seconds: float | None = None  # that are left, once that can be said
    reason: str = ""  # a sentence: why it was stopped or failed, if there is something to say


@dataclass(eq=False)
class _Training:
    subject: Subject
    owner: str
    steps: Callable[[], Iterator[Progress[object]]]
    asked: float  # when its visitor last asked, by the clock
    # Language and owner of the request that began it.
    context: Context = field(default_factory=copy_context)
    watch: Watch = field(default_factory=Watch)
    stage: Stage = Stage.WAITING
    began: float = 0.0  # by the clock
    share: float = 0.0
    learnt: object = None
    reason: str = ""
    size: int = 0  # bytes of what was learnt


class LiveTraining:
    """All visitors' trainings. A visitor has one under way; beginning another ends it."""

    def __init__(
        self,
        turns: Turns,
        limits: Limits | None = None,
        clock: Callable[[], float] = time.monotonic,
        effort: Callable[[], float] = time.thread_time,
    ) -> None:
        """`effort` counts the seconds of the processor that the calling thread has used."""
        self._turns, self._limits = turns, limits or Limits()
        self._clock, self._effort = clock, effort
        self._lock = Lock()
        self._line = WaitingLine[_Training](self._limits.running, self._limits.waiting, FULL)
        self._over: OrderedDict[Subject, _Training] = OrderedDict()  # the one asked for last is last

    def begin(self, subject: Subject, steps: Callable[[], Iterator[Progress[object]]]) -> None:
        """Train as soon as there is room, unless that is under way. Raises RequestError in a full line."""
        with self._lock:
            self._forget()
            under_way = self._under_way(subject)
            if under_way is not None and not under_way.watch.cancelled.is_set():
                return
            whose = owner() or subject.session
            for other in self._line:
                if other.owner == whose:
                    self._cancel(other)
            self._line.enter(_Training(subject, whose, steps, self._clock()))
            self._over.pop(subject, None)
            self._promote()

    def look(self, subject: Subject) -> Report | None:
        """How it goes, if there is such a training; its visitor is known to be there.

        Whatever else this visitor trains is ended: they have turned to something else.
        """
        with self._lock:
            self._forget()
            for other in self._line:
                if other.subject.session == subject.session and other.subject != subject:
                    self._cancel(other, say(CHANGED))
            found = self._find(subject)
            if found is None:
                return None
            found.asked = self._clock()
            self._promote()  # whoever left may have made room
            return self._report(found)

    def learnt(self, subject: Subject) -> object | None:
        """What it has learnt so far, if there is such a training; never changed later."""
        with self._lock:
            found = self._find(subject)
            return None if found is None else found.learnt

    def stop(self, session: str) -> None:
        """End what this visitor trains, after its step; what it has learnt is kept."""
        with self._lock:
            for each in self._line:
                if each.subject.session == session:
                    self._cancel(each)

    def _under_way(self, subject: Subject) -> _Training | None:
        found = [each for each in self._line if each.subject == subject]
        return found[-1] if found else None

    def _find(self, subject: Subject) -> _Training | None:
        under_way = self._under_way(subject)
        if under_way is None and subject in self._over:
            self._over.move_to_end(subject)
            return self._over[subject]
        return under_way

    def _report(self, training: _Training) -> Report:
        if training.stage is Stage.WAITING:
            return Report(Stage.WAITING, self._line.place(training))
        seconds = None
        if training.stage is Stage.TRAINING and training.share > 0:
            seconds = (self._clock() - training.began) * (1 - training.share) / training.share
        return Report(training.stage, 0, training.share, seconds, training.reason)

    def _cancel(self, training: _Training, reason: str = "") -> None:
        """One that waits is forgotten, one that runs ends after its step."""
        if training.stage is Stage.WAITING:
            self._line.leave(training)
        elif not training.watch.cancelled.is_set():
            training.reason = reason
            training.watch.cancelled.set()

    def _promote(self) -> None:
        """Begin as many as there is room for, those first who came first."""
        for training in self._line.begin():
            training.stage, training.began = Stage.TRAINING, self._clock()
            Thread(target=training.context.run, args=(self._work, training), name="lab training").start()

    def _is_absent(self, training: _Training) -> bool:
        return self._clock() - training.asked > ABSENT

    def _forget(self) -> None:
        """Those who waited and left, and of what is over whatever is old or too much."""
        for training in self._line:
            if training.stage is Stage.WAITING and self._is_absent(training):
                self._line.leave(training)
        limits, now = self._limits, self._clock()
        for subject, training in list(self._over.items()):
            if now - training.asked > limits.kept_seconds:
                del self._over[subject]
        of_one = Counter(each.owner for each in self._over.values())
        size = sum(each.size for each in self._over.values())
        for subject, training in list(self._over.items()):  # the longest unasked first
            whole = len(self._over) > limits.kept or size > limits.kept_bytes
            if whole or of_one[training.owner] > limits.kept_of_one:
                del self._over[subject]
                of_one[training.owner] -= 1
                size -= training.size

    def _work(self, training: _Training) -> None:
        """In a thread of its own, until it is over; then whoever is next begins."""
        try:
            with self._turns.turn(training.watch, SLICE):
                stage = self._run(training)
        except Exception as error:
            what = f"the training of {training.subject.lab}"
            stage, training.reason = Stage.FAILED, failure_text(error, what)
        if training.watch.cancelled.is_set() and stage is Stage.FAILED:
            stage, training.reason = Stage.STOPPED, ""  # before its turn at the processor came
        if stage is Stage.DONE:
            training.reason = ""  # it was faster than whoever stopped it
        training.size = memory_bytes(training.learnt)
        with self._lock:
            self._line.leave(training)
            training.stage = stage
            if not self._is_absent(training) and self._under_way(training.subject) is None:
                self._over[training.subject] = training
            self._forget()
            self._promote()

    def _run(self, training: _Training) -> Stage:
        """Step by step; what was learnt is copied between two steps, now and then and at the end."""
        copied, effort, progress = float("-inf"), self._effort(), None
        stage = Stage.DONE
        for progress in training.steps():
            begins = training.share == 0 < progress.share  # there is something to see for the first time
            training.share = progress.share
            if begins or self._clock() - copied >= INTERVAL:
                training.learnt, copied = progress.learnt(), self._clock()
            training.watch.rest()
            if self._effort() - effort > self._limits.effort:
                training.reason = say(LONG, seconds=f"{self._limits.effort:.0f}")
                training.watch.cancelled.set()
            if training.watch.cancelled.is_set() or self._is_absent(training):
                stage = Stage.STOPPED
                break
        if progress is not None:
            training.learnt = progress.learnt()
        return stage
