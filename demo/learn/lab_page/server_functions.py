"""The server functions of the labs: each call sends the choices of the reader and gets the content.

The page asks a lab that trains again and again: each answer shows the training so far.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import gradio as gr

from demo.i18n import later, listed, quoted, say
from demo.i18n.display import number_text
from demo.labs import labs
from demo.labs.lab import Lab, lab_answer
from demo.labs.programs import script_of, without_constant
from demo.learn.lab_page.live_training import LiveTraining, Subject
from demo.server.calls.small_questions import answer_to
from demo.widgets.answers.content import Controls, Networks, NotHereError, Program, checked_options
from demo.work.errors import sentence
from demo.work.jobs import JobStage, JobStatus
from demo.work.requests.checks import RequestError
from models.errors import UnrolledError, brief

NO_NETWORKS = Networks()
SECONDS_LEFT = later("About {seconds} s left.")
WITHOUT_SETTINGS = later(
    "Run it in the project's folder, with torch installed. It has no setting for {settings}, so its numbers "
    "are not those shown."
)
TRAIN, STOP = "train", "stop"  # actions of a reader


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
