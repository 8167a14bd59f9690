"""The training service, and the choices of a visitor: their runs, and the checkpoints of these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gradio as gr

from demo.i18n import say
from demo.training.form.settings_card import SCRATCH
from demo.widgets.form.choices import Choices, own_checkpoints, picker_updates
from demo.work.checkpoint_label import run_label
from demo.work.context import AppContext
from demo.work.requests.checks import RequestError
from demo.work.training_service import TrainingService
from models.registry.card import CheckpointError
from models.registry.hugging_face.files import is_hugging_face
from models.registry.registry import UnknownCheckpointError
from models.training.runs.collection import UnknownRunError
from models.training.runs.request import is_token
from models.training.runs.run_folder import Run

SET_UP, WATCH = "form", "run"  # uses of the tab
PICKERS = 4  # lists of checkpoints: on the Decode tab, two on Compare, and one to start training from


def training_service(context: AppContext) -> TrainingService:
    """The training service. Raises RequestError if the server has none."""
    if context.training is None:
        raise RequestError(
            "training_is_off", "This server does not train. Run the program on a machine of your own."
        )
    return context.training


def run_choices(context: AppContext, token: object, run_id: object) -> tuple[Any, Any]:
    """The visitor's runs for both pickers; a run of another visitor joins them by its id."""
    training = training_service(context)
    runs = list(training.runs.of(str(token))) if is_token(token) else []
    try:
        run = training.runs.find(run_id)
        if run.id not in {other.id for other in runs}:
            runs.insert(0, run)
    except UnknownRunError:
        run_id = next((run.id for run in runs), None)
    shipped = [run for run in training.runs.recorded_runs() if run not in runs]
    choices = [(_label(context, run), run.id) for run in (*runs, *shipped)]
    return gr.update(choices=choices, value=run_id), gr.update(choices=choices)


def recorded_titles(context: AppContext) -> dict[str, str]:
    """The titles of the runs that ship, in English, by their ids."""
    runs = training_service(context).runs
    return {run.id: runs.request(run).title for run in runs.recorded_runs()}


def _label(context: AppContext, run: Run) -> str:
    runs = training_service(context).runs
    if runs.is_recorded(run):
        return say("Recorded: {title}", title=say(runs.request(run).title))
    return run_label(runs, run)


def checkpoint_pickers(
    context: AppContext, token: object, run: Run | None = None, values: Sequence[object] = ()
) -> list[Any]:
    """The lists of checkpoints: those that ship, the visitor's own, and that of the current run."""
    choices = own_checkpoints(context, token, run)
    return [*picker_updates(context, choices, values), gr.update(choices=start_choices(context, choices))]


def start_choices(context: AppContext, choices: Choices) -> Choices:
    """A fresh network, then the checkpoints that can be trained further."""
    starts = [(label, name) for label, name in choices if can_be_tuned(context, name)]
    return [(say(SCRATCH[0]), SCRATCH[1]), *starts]


def can_be_tuned(context: AppContext, name: str) -> bool:
    """Whether the form can train it further: a network of the project that reads texts."""
    try:
        config = context.config(name)
        return not (config.reads_pictures or is_hugging_face(config))
    except (CheckpointError, UnknownCheckpointError):
        return True  # a damaged one says so when it is chosen
