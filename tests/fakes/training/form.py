"""The form of the Training tab as a browser sends it: the initial values with some changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gradio as gr

from demo.training.form.data_card import DataCard
from demo.training.handlers import on_begin
from demo.training.work.fields import FIELDS, MINUTES, fit_tokens, values_of
from demo.work.context import AppContext
from demo.work.training_service import TrainingService
from models.registry.registry import Registry
from models.training.launch.child_process import ProcessLauncher
from models.training.launch.launcher import TrainingLimits
from models.training.runs.collection import Runs
from models.training.runs.run_folder import Run

with gr.Blocks():
    _INPUTS = DataCard().inputs
DATA_NAMES = tuple(_INPUTS)
OPENING = {name: getattr(widget, "value", None) for name, widget in _INPUTS.items()}

# A task that a network learns in seconds: strings of at most four letters.
QUICK: dict[str, Any] = {
    "reversal.longest": 4,
    "reversal.alphabet": 4,
    "data.train_size": 600,
    "data.valid_size": 30,
    "network.d_embed": 8,
    "network.d_model": 16,
    "network.d_attention": 8,
    "batch_tokens": 200,
    "epochs": 2,
    "evaluate_every": 10,
    "decode_valid": 10,
    "report_every": 2,
}


def form(title: str = "", start: str = "", **changes: Any) -> list[Any]:
    """Return name, start, data and fields in the order of the form; `changes` may have dotted names."""
    fields = {field.path: None for field in FIELDS} | dict(values_of(fit_tokens(MINUTES, "reversal")))
    data = dict(OPENING)
    for name, value in changes.items():
        (data if name in data else fields)[name] = value
    return [title, start, *data.values(), *fields.values()]


def training_context(checkpoints: Path, root: Path, **limits: Any) -> AppContext:
    """Return the context of a server that trains on the CPU and keeps its runs under `root`."""
    caps = TrainingLimits(root=root, **limits)
    runs = Runs(root)
    training = TrainingService(runs, ProcessLauncher(runs, caps), caps)
    return AppContext(Registry(checkpoints, training.checkpoint_folder), "cpu", training=training)


def begin(context: AppContext, token: str, **changes: Any) -> Run:
    run_picker, _, problem, *_ = on_begin(context, DATA_NAMES, token, *form(**changes))
    assert not problem
    assert context.training is not None
    return context.training.runs.find(run_picker["value"])


def refusal(context: AppContext, token: object, **changes: Any) -> str:
    """Return the form's refusal to start, after which no list has changed."""
    run_picker, _, problem, *_ = on_begin(context, DATA_NAMES, token, *form(**changes))
    assert "value" not in run_picker
    return str(problem)
