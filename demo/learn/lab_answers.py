"""The server functions of the labs, which get the choices of the reader; and trainings of labs as jobs.

The page asks a lab that trains again and again: each answer shows the training so far, and each step of a
training gives way to decodings that wait. Labs have access to the checkpoints that all visitors share.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import gradio as gr

from demo.i18n import later, listed, quoted, say
from demo.i18n.display import number_text
from demo.labs import Lab, lab_answer, labs
from demo.labs.programs import script_of, without_constant
from demo.server.page import answer_to
from demo.widgets.answers.content import Controls, Networks, NotHereError, Program, checked_options
from demo.work.context import AppContext
from demo.work.errors import sentence
from demo.work.jobs import Job, JobLimits, Jobs, JobStage, JobStatus
from demo.work.operator.caps import LAB
from demo.work.requests.caller import LEFT_QUEUE, owner
from demo.work.requests.checks import RequestError
from demo.work.turns import Turns
from demo.work.watch import Watch
from models.errors import UnrolledError, brief
from models.labs.training import Progress, memory_bytes

if TYPE_CHECKING:
    from models.registry.checkpoint import Checkpoint

NO_NETWORKS = Networks()
SECONDS_LEFT = later("About {seconds} s left.")
WITHOUT_SETTINGS = later(
    "Run it in the project's folder, with torch installed. It has no setting for {settings}, so its numbers "
    "are not those shown."
)
TRAIN, STOP = "train", "stop"  # actions of a reader
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


def on_lab(
    data: object, training: LiveTraining | None = None, session: str = "", networks: Networks = NO_NETWORKS
) -> dict[str, Any]:
    """A lab's view or, as `refused`, a sentence that says why there is none, with its controls.

    A lab that trains adds its progress, see `_progress`; without `training` nobody can train.
    """
    lab_controls = Controls(networks=networks)
    answer: dict[str, Any] = {}
    try:
        fields = data if isinstance(data, Mapping) else {}
        lab = next((lab for lab in labs() if lab.name == fields.get("lab")), None)
        if lab is None:
            raise RequestError("no_such_lab", "There is no lab {value}.", value=brief(fields.get("lab")))
        lab_controls.options = checked_options(fields.get("options", {}))
        if training is not None:
            lab_controls.trained = lambda settings: training.result(Subject(session, lab.name, settings))
            answer |= _act_on_training(lab, lab_controls.options, training, session, fields.get("act"))
        return {**lab_answer(lab, lab_controls), **answer}
    except UnrolledError as error:
        return {"refused": sentence(error), "controls": []}


def _act_on_training(
    lab: Lab, options: Mapping[str, object], training: LiveTraining, session: str, act: object
) -> dict[str, Any]:
    """Do the reader's action on a training, and return its progress; empty if the lab trains nothing."""
    settings = None
    if lab.training is not None:
        with suppress(NotHereError):  # `compute` says so too
            settings = lab.training.settings(Controls(options=options))
    subject = Subject(session, lab.name, settings)
    if lab.training is None or settings is None:
        training.status(subject)  # they have turned away from what they trained
        return {}
    try:
        if act == TRAIN:
            training.begin(subject, partial(lab.training.run, settings))
        elif act == STOP:
            training.stop(session)
    except RequestError as error:
        return {"training": _progress(JobStatus(JobStage.FAILED, reason=error.message))}
    return {"training": _progress(training.status(subject))}


def _progress(status: JobStatus | None) -> dict[str, Any]:
    """The progress for the script: the stage ("ready" before any), a sentence, and the share that is done."""
    if status is None:
        return {"stage": "ready", "message": "", "share": 0}
    if status.stage is JobStage.WAITING:
        text = say(
            "Others are training now. You are number {position} in the queue.", position=status.position
        )
    elif status.stage is JobStage.RUNNING and status.seconds is None:
        text = say("Getting ready.")
    elif status.stage is JobStage.RUNNING:
        text = say(SECONDS_LEFT, seconds=number_text(status.seconds or 0, 0))
    elif status.stage is JobStage.DONE:
        text = say("Trained.")
    else:
        text = sentence(status.reason) if status.reason else say("Stopped.")
    return {"stage": status.stage.value, "message": text, "share": status.share, "position": status.position}


def on_script(
    data: object, training: LiveTraining | None = None, session: str = "", networks: Networks = NO_NETWORKS
) -> dict[str, Any]:
    """The program of a lab with the reader's settings, and a note where it computes other numbers."""
    fields = data if isinstance(data, Mapping) else {}
    lab = next((lab for lab in labs() if lab.name == fields.get("lab")), None)
    if lab is None:
        return {"script": ""}
    lab_controls = Controls(options=checked_options(fields.get("options", {})), networks=networks)
    if training is not None:
        lab_controls.trained = lambda settings: training.result(Subject(session, lab.name, settings))
    program = Program()
    with suppress(NotHereError):  # the lab says so too
        program = lab.compute(lab_controls).program
    declared = lab_controls.controls
    missing = {*without_constant(lab.name, declared, program)} & lab_controls.options.keys()
    answer = {"script": script_of(lab.name, declared, program)}
    if missing:
        labels = listed(quoted(control.label) for control in declared if control.name in missing)
        answer["note"] = say(WITHOUT_SETTINGS, settings=labels)
    return answer


def lab_server_functions(
    training: LiveTraining, networks: Networks
) -> list[Callable[..., Awaitable[dict[str, Any]]]]:
    """The server functions of a `LabsView`, which calls them by name."""

    async def list_labs(_: object) -> dict[str, Any]:
        has_program = True  # each has one here; the page without a server has none
        return {"labs": [[lab.name, say(lab.title), say(lab.question), has_program] for lab in labs()]}

    async def compute(data: object, request: gr.Request) -> dict[str, Any]:
        return await answer_to(request, lambda session: partial(on_lab, data, training, session, networks))

    async def script(data: object, request: gr.Request) -> dict[str, Any]:
        return await answer_to(request, lambda session: partial(on_script, data, training, session, networks))

    return [list_labs, compute, script]


def networks_of(context: AppContext) -> Networks:
    """The checkpoints of the registry; damaged ones are left out."""
    return Networks(lambda: [*context.registry.configs().items()], partial(_checkpoint_in_turn, context))


@contextmanager
def _checkpoint_in_turn(context: AppContext, name: str) -> Iterator[tuple[Checkpoint, Watch]]:
    checkpoint, watch = context.checkpoint(name), Watch()
    with context.turns.turn(watch):
        yield checkpoint, watch
