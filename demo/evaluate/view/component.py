"""An evaluation on the page: its progress, then its parts and its rows.

Root element: `section.evaluation`, inside the block that `elem_id` names. `data-stage` is none, waiting,
running, done, stopped, failed or gone; `data-ready` counts the drawings that are complete. Script and style
are fetched when the tab is opened.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

from demo.evaluate.parts import evaluation_parts
from demo.evaluate.parts.html_report import rows_payload, to_html
from demo.evaluate.work.request import RequestedSystem, allowed_widths
from demo.evaluate.work.run import Evaluations, translate_messages
from demo.i18n import message_text, say
from demo.i18n.display import number_text
from demo.i18n.page_translations import lazy_words
from demo.server.assets import address, register_text
from demo.server.page import Answer, ServerFunction, server_function
from demo.widgets.answers.content import Controls, as_sent, checked_options, controls_as_sent
from demo.widgets.captions.options import details, short_name
from demo.widgets.figures.figure import dark_by_light
from demo.widgets.view.assets import asset
from demo.widgets.view.modules import lazy_address, plotly_address
from demo.widgets.view.view import View, with_colours
from demo.work.context import AppContext
from demo.work.errors import sentence
from demo.work.jobs import JobStage, JobStatus
from demo.work.requests.checks import RequestError
from models.errors import Message, UnrolledError, brief
from models.evaluation.report.evaluation_report import EvaluationReport

Handler = Callable[[AppContext, Evaluations, object], Answer]
MEDIA_TYPES = {"html": "text/html", "json": "application/json", "csv": "text/csv"}  # keys: suffixes
GONE = Message("evaluation_gone", "This evaluation is not kept any more. Press Evaluate to compute it again.")
BEGINS = Message("evaluation_begins", "Loading the checkpoints.")
STYLES = "evaluation-style", "evaluation.css"
SHEETS = ("evaluate/view/lazy/view.css", "widgets/menus/menu.css", "widgets/answers/shown.css")
INSIDE = asset("widgets/answers/shown.html").replace("TITLE", "The numbers of the evaluation")
TEMPLATE = asset("evaluate/view/view.html").replace("SHOWN", INSIDE)


class EvaluationView(View):
    """The view of an evaluation, whose value is its secret key; the script asks for the rest.

    Events: `shown`, a visitor without an earlier evaluation opens the tab; `linked`, a link or an earlier
    evaluation has values for the form.
    """

    root_selector = ".evaluation"

    def __init__(self, *, elem_id: str, server_functions: Sequence[Callable[..., object]]) -> None:
        """Take the result of `server_functions`."""
        register_text(*STYLES, with_colours(".evaluation", *SHEETS, nested=False))
        super().__init__(
            "evaluate/view",
            template=TEMPLATE,
            style="",
            events=("shown", "linked"),
            elem_id=elem_id,
            server_functions=list(server_functions),
            lazy=lazy_address("evaluate/view"),
            lazy_style=address(*STYLES),
            dark=dark_by_light(),
            plotly_source=plotly_address(),
        )

    def script(self, function: str, names: Iterable[str]) -> str:
        """JavaScript for the `js` of an event: it calls a function of the view with the values of fields."""
        return f"(...values) => {self.functions}.{function}({json.dumps(list(names))}, values)"


def on_progress(_: AppContext, jobs: Evaluations, data: object) -> Answer:
    """The stage, a sentence about it, and the share that is done."""
    status = jobs.status(_key(data))
    if status is None:
        return {"stage": "gone", "message": message_text(GONE), "share": 0}
    return {"stage": status.stage.value, "message": _caption(status), "share": status.share}


def _caption(status: JobStatus) -> str:
    if status.stage is JobStage.WAITING:
        return say(
            "Other evaluations are running. You are number {position} in the queue.", position=status.position
        )
    if status.stage is JobStage.RUNNING:
        activity = message_text(status.activity or BEGINS)
        if status.seconds is None:
            return say("{what}.", what=activity.rstrip("."))
        return say(
            "{what}. About {seconds} s left.", what=activity, seconds=number_text(max(1, status.seconds), 0)
        )
    if status.stage is JobStage.FAILED:
        return sentence(status.reason)
    return say("Stopped.") if status.stage is JobStage.STOPPED else ""


def on_outline(context: AppContext, jobs: Evaluations, data: object) -> Answer:
    """The contents of a finished evaluation: parts by name, title and question, and rows."""
    report, job = _result(jobs, data), jobs.find(_key(data))
    parts = [part for part in evaluation_parts() if part.applies(report)]
    systems = () if job is None else job.task.systems
    return {
        "parts": [[part.name, say(part.title), say(part.question)] for part in parts],
        "rows": translate_messages(rows_payload(report)),
        "systems": [
            {
                "name": system.name,
                "checkpoint": system.checkpoint,
                "label": context.label(system.checkpoint),
                "settings": asdict(system.options),
            }
            for system in systems
        ],
        "about": _about(context, report, systems),
    }


def _about(
    context: AppContext, report: EvaluationReport, systems: Sequence[RequestedSystem]
) -> list[tuple[str, str]]:
    """The description in a file of the evaluation: systems, date and number of segments."""
    about = []
    for system in systems:
        settings = f"{short_name(system.options)}: {details(system.options)}"
        about.append((system.name, f"{context.label(system.checkpoint)}, {settings}"))
    return [*about, (say("date"), report.date), (say("segments"), f"{report.segments:,}")]


def on_part(_: AppContext, jobs: Evaluations, data: object) -> Answer:
    """The contents of a part for the reader's choices; as `refused`, why it shows nothing."""
    controls = Controls()
    try:
        report = _result(jobs, data)
        request_data: Mapping[str, Any] = data if isinstance(data, Mapping) else {}
        name = request_data.get("part")
        part = next((part for part in evaluation_parts() if part.name == name and part.applies(report)), None)
        if part is None:
            raise RequestError(
                "no_such_report_part", "There is no part {value} in this evaluation.", value=brief(name)
            )
        controls.options = checked_options(request_data.get("options", {}))
        return {**as_sent(part.compute(report, controls), controls.controls), "offer": part.offer(report)}
    except UnrolledError as error:
        return {"refused": sentence(error), "controls": controls_as_sent(controls.controls)}


def on_file(_: AppContext, jobs: Evaluations, data: object) -> Answer:
    """The report as a file: one HTML page that needs no network, JSON, or CSV of the rows."""
    from models.evaluation.report.command import DATA_WRITERS

    report = _result(jobs, data)
    kind = data.get("kind") if isinstance(data, Mapping) else None
    if not isinstance(kind, str) or kind not in MEDIA_TYPES:
        raise RequestError("no_such_report_file", "There is no file {value}.", value=brief(kind))
    write = to_html if kind == "html" else DATA_WRITERS[f".{kind}"]
    text = write(translate_messages(report), report.title)
    return {"name": f"unrolled-evaluation.{kind}", "type": MEDIA_TYPES[kind], "text": text}


def _result(jobs: Evaluations, data: object) -> EvaluationReport:
    job = jobs.find(_key(data))
    report: EvaluationReport | None = None if job is None else job.result
    if report is None:
        raise RequestError(GONE)
    return report


def _key(data: object) -> str:
    key = data.get("key") if isinstance(data, Mapping) else None
    return key if isinstance(key, str) else ""


def on_stop(context: AppContext, jobs: Evaluations, data: object) -> Answer:
    """Take this visitor off the evaluation, and return its progress."""
    jobs.stop(_key(data))
    return on_progress(context, jobs, data)


def on_widen(_: AppContext, jobs: Evaluations, data: object) -> Answer:
    """Begin the same evaluation with every beam width, and return its key. Raises RequestError."""
    job = jobs.find(_key(data))
    if job is None:
        raise RequestError(GONE)
    return {"key": jobs.begin(replace(job.task, widths=allowed_widths()))}


def on_words(_: AppContext, __: Evaluations, ___: object) -> Answer:
    """The words of the lazy scripts, in the language of the request."""
    return {"words": lazy_words("evaluate/view")}


FUNCTIONS: tuple[Handler, ...] = (on_progress, on_outline, on_part, on_file, on_stop, on_widen, on_words)


def server_functions(context: AppContext, jobs: Evaluations) -> list[ServerFunction]:
    """The server functions of an `EvaluationView`, which calls them by name."""

    def begin(on: Handler, data: object, _: str) -> Callable[[], Answer]:
        return partial(on, context, jobs, data)

    return [server_function(on.__name__.removeprefix("on_"), partial(begin, on)) for on in FUNCTIONS]
