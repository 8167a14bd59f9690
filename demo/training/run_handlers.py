"""Handlers of existing runs on the Training tab: show, stop, resume, use, download."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import gradio as gr

from demo.i18n import say
from demo.training.choices import PICKERS, WATCH, checkpoint_pickers, run_choices, training_service
from demo.training.run_panel import FIRST_POLL_SECONDS, POLL_SECONDS
from demo.training.work.archive import run_archive
from demo.training.work.run_report import RunReport, RunReports, fine_tuning_pairs, mark_of
from demo.widgets.form.choices import own_checkpoints
from demo.work.context import AppContext
from demo.work.operator.caps import MAX_CHARACTERS
from demo.work.requests.checks import RequestError
from demo.work.training_service import finished_checkpoint
from models.training.events import TrainingEvent, step_of
from models.training.runs.collection import UnknownRunError
from models.training.runs.request import GETTING_READY, STARTING, TRAINING, is_token, new_token
from models.training.runs.run_folder import Run

PREFIX = "unrolled-"  # the beginning of a zip's folder's name, among other programs' temporary files


def on_visit(context: AppContext, run_id: str, token: object) -> tuple[Any, ...]:
    """Start a visit: the visitor's token, a new one if there is none; their runs and checkpoints.

    A visitor with a run sees it; a link to a run opens this tab on it.
    """
    visitor = str(token) if is_token(token) else new_token()
    tabs = gr.Tabs(selected="training") if _run(context, run_id) is not None else gr.skip()
    run, overlays = run_choices(context, visitor, run_id)
    mode: Any = WATCH
    if run["value"] is None:  # a quick visitor may have chosen one that was recorded by now
        del run["value"]
        mode = gr.skip()
    return visitor, run, overlays, *checkpoint_pickers(context, visitor), mode, tabs


def on_recorded(context: AppContext, run_id: str, token: object) -> tuple[Any, Any]:
    """The lists of runs with a shipped one chosen."""
    return run_choices(context, token, run_id)


def on_poll(
    context: AppContext,
    reports: RunReports,
    token: object,
    run_id: object,
    overlays: object,
    *current: object,
) -> tuple[Any, ...]:
    """The current state of the run, and changed lists of runs and of checkpoints.

    Once the run rests, so does the timer, and its checkpoint is in every list. `current` are the checkpoints
    in those lists now. A run that is gone is in no list any more.
    """
    run = _run(context, run_id)
    if run is None:
        return _without(context, token, run_id)
    training_service(context).launcher.attend(run)
    report = reports.report(run, _others(context, overlays))
    active = report.state.is_active
    pickers = [gr.skip()] * PICKERS if active else checkpoint_pickers(context, token, run, current)
    runs = training_service(context).runs
    tuned = not runs.is_damaged(run) and bool(runs.request(run).start)
    timer = gr.Timer(_poll_seconds(report), active=active)
    return report, timer, gr.Button(visible=tuned), gr.skip(), gr.skip(), *pickers


def _poll_seconds(report: RunReport) -> float:
    """The seconds between two polls, few while a run begins; one that waits for another does not begin."""
    begins = report.message in (STARTING, GETTING_READY, TRAINING)
    has_point = any(step_of(event) for event in report.events)
    return FIRST_POLL_SECONDS if begins and not has_point else POLL_SECONDS


def _without(context: AppContext, token: object, run_id: object) -> tuple[Any, ...]:
    """The panel without a run; it says so if the current run was removed."""
    stopped_timer = gr.Timer(active=False), gr.skip()
    if not run_id:  # the last sentence stays
        return gr.skip(), *stopped_timer, gr.skip(), gr.skip(), *[gr.skip()] * PICKERS
    run, overlays = run_choices(context, token, None)
    gone = say("This run has been removed. Its link no longer works.")
    return gone, *stopped_timer, {**run, "value": None}, overlays, *[gr.skip()] * PICKERS


def on_rest(
    context: AppContext, reports: RunReports, mark: object, token: object, run_id: object, *values: object
) -> tuple[Any, ...]:
    """Update the panel of an inactive run; nothing changes while its mark is `mark`."""
    run = _run(context, run_id)
    if run is not None and mark_of(run) == mark:
        return (gr.skip(),) * (5 + PICKERS)
    return on_poll(context, reports, token, run_id, *values)


def on_stop(context: AppContext, run_id: object) -> None:
    """Ask the run to save and end."""
    training_service(context).launcher.stop(_find_run(context, run_id))


def on_resume(context: AppContext, run_id: object) -> None:
    """Resume the run from its last saved state. Raises RunError."""
    training_service(context).launcher.resume(_find_run(context, run_id))


def on_remove(context: AppContext, token: object, run_id: object) -> tuple[Any, Any, Any]:
    """Delete the run and its checkpoints; returns an empty panel and the lists of the other runs.

    Raises RunError while it is under way.
    """
    training = training_service(context)
    run = _find_run(context, run_id)
    # Whoever has the link may remove a run whose owner cannot be read: nobody else can.
    if training.runs.owner(run) and run not in training.runs.of(str(token)):
        raise RequestError("removal_of_another", "Only the browser that started a run can remove it.")
    training.runs.remove(run)
    return None, *run_choices(context, token, None)


def on_open(context: AppContext, token: object, run_id: object) -> tuple[Any, Any]:
    """The Decode tab with the run's checkpoint."""
    run = _finished_run(context, run_id)
    return gr.update(choices=own_checkpoints(context, token, run), value=run.id), gr.Tabs(selected="decode")


def on_compare(
    context: AppContext, reports: RunReports, token: object, run_id: object
) -> tuple[Any, Any, str]:
    """The lists of the Compare tab, and as JSON the comparison: the original and the run's, on a text.

    Raises RequestError, UnknownCheckpointError, CheckpointError.
    """
    run = _finished_run(context, run_id)
    start = training_service(context).runs.request(run).start
    if not start:
        raise RequestError(
            "run_without_original",
            "This run began from random weights, so there is no original to compare with.",
        )
    context.config(start)  # it may have been removed since
    _, one, other, _ = checkpoint_pickers(context, token, run)
    text = _changed_source(context, run, reports.events(run))
    return one, other, json.dumps({"checkpoint": start, "other_checkpoint": run.id, "text": text})


def _changed_source(context: AppContext, run: Run, events: Sequence[TrainingEvent]) -> str:
    """The source of a corrected pair, preferably one whose output has changed; else an example."""
    short_pairs = [pair for pair in fine_tuning_pairs(events) if len(pair.source) <= MAX_CHARACTERS]
    examples = context.config(run.id).examples
    ranked = sorted(short_pairs, key=lambda pair: pair.before == pair.after)
    return next((pair.source for pair in ranked), next(iter(examples), ""))


def on_archive(context: AppContext, reports: RunReports, run_id: object) -> Iterator[str]:
    """The checkpoint with its card, recipe and curves, in a zip file that is deleted after its download."""
    run = _finished_run(context, run_id)
    with TemporaryDirectory(prefix=PREFIX) as temporary:
        yield str(run_archive(run, training_service(context).runs, reports.events(run), Path(temporary)))


def _run(context: AppContext, run_id: object) -> Run | None:
    try:
        return _find_run(context, run_id)
    except UnknownRunError:
        return None


def _find_run(context: AppContext, run_id: object) -> Run:
    return training_service(context).runs.find(run_id)


def _finished_run(context: AppContext, run_id: object) -> Run:
    run = _find_run(context, run_id)
    finished_checkpoint(run)
    return run


def _others(context: AppContext, ids: object) -> list[Run]:
    if not isinstance(ids, list):
        return []
    return [run for run in (_run(context, run_id) for run_id in ids[:8]) if run is not None]
