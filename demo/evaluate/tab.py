"""The Evaluate tab: the quality of systems on a test set, and the causes of their bad outputs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gradio as gr
from gradio.components import Component

from demo.evaluate.form import TEST_SET_KINDS, EvaluateForm
from demo.evaluate.server_functions import server_functions
from demo.evaluate.view.component import EvaluationView
from demo.evaluate.work.request import (
    EXAMPLE,
    FILE,
    MAX_CHANGED,
    PASTE,
    EvaluateRequest,
    checked_segments,
    example,
    requested_systems,
    table_of,
    training_pairs,
)
from demo.evaluate.work.run import Evaluations
from demo.server.event_options import PRIVATE
from demo.widgets.columns.choice import ColumnChoice, ShownColumns
from demo.work.context import AppContext
from demo.work.errors import failure_text, guard
from demo.work.operator.caps import MAX_OUTPUT_TOKENS
from demo.work.operator.work import READING
from demo.work.requests.checks import RequestError, check_choice, check_name, whole
from models.corpus.files.columns import Hints
from models.evaluation.segments import segments_of_table

START_EVENT: dict[str, Any] = {**PRIVATE, **READING.queue, "trigger_mode": "multiple"}


def build_evaluate_tab(context: AppContext) -> None:
    """Build the widgets, then connect them."""
    jobs = Evaluations(context)
    with gr.Tab("Evaluate", id="evaluate", elem_id="evaluate-tab"):
        form = EvaluateForm(context)
        gr.HTML("<h2>Evaluation</h2>", elem_classes="for-screen-readers")
        view = EvaluationView(elem_id="evaluation", server_functions=server_functions(context, jobs))
    fields = form.fields
    form.share.wire(fields)
    test_set_fields: list[Component] = [form.checkpoints, form.kind, form.file, form.pasted, form.columns]
    changes = [field.change for field in (form.checkpoints, form.kind, form.pasted)]
    test_set_events = [*changes, form.file.upload, form.file.clear]
    # While one call is under way, only the latest text waits.
    latest = {**START_EVENT, "trigger_mode": "always_last"}
    gr.on(test_set_events, guard(on_columns, context), test_set_fields, form.columns, **latest)
    begin = guard(on_evaluate, context, jobs)
    widgets = list(form.linked_fields.values())
    filled = view.linked(
        None, widgets, widgets, js=view.script("linkedValues", form.linked_fields), **PRIVATE
    )
    filled.success(None, list(fields.values()), None, js=view.script("filled", fields), **PRIVATE)
    for event in (form.run.click, view.shown):
        event(begin, list(fields.values()), view, js=view.script("noteRequest", fields), **START_EVENT)


def on_evaluate(context: AppContext, jobs: Evaluations, *values: object) -> dict[str, str]:
    """Begin an evaluation and return its key. Raises RequestError, DataError, CheckpointError."""
    checkpoints, strategies, kind, file, text, columns, training, changes = values
    names = _names(checkpoints)
    configs = [context.config(name) for name in names]
    hints = _hints(context, names, kind)
    choice = ColumnChoice.parse(columns)
    check_choice("kind", kind, tuple(value for _, value in TEST_SET_KINDS))
    if kind == EXAMPLE and not names:
        raise RequestError(
            "example_without_checkpoint", "Choose a checkpoint first: the example depends on it."
        )
    segments = (
        example(context, names[0])
        if kind == EXAMPLE
        else segments_of_table(*choice.read(table_of(kind, file, text), hints))
    )
    longest = min([MAX_OUTPUT_TOKENS, *(config.max_length for config in configs)])
    options = strategies if isinstance(strategies, list) else []
    systems = requested_systems(names, options, longest, context.label)
    if not systems and not segments.outputs:
        raise RequestError(
            "nothing_to_evaluate", "Choose a checkpoint, or give a file with a column of outputs."
        )
    changed = whole("Sources to change", changes, 0, MAX_CHANGED)
    pairs = training_pairs(training, hints)
    request = EvaluateRequest(systems, checked_segments(segments), pairs, int(changed))
    return {"key": jobs.begin(request)}


def on_columns(
    context: AppContext, checkpoints: object, kind: object, file: object, text: object, columns: object
) -> ShownColumns | None:
    """Recognise the columns of a test set, or say what is wrong with it; None for an example."""
    if kind == EXAMPLE or (kind == FILE and not file) or (kind == PASTE and not text):
        return None
    try:
        hints = _hints(context, _names(checkpoints), kind)
        return ShownColumns.from_table(table_of(kind, file, text), ColumnChoice.parse(columns), hints)
    except Exception as error:  # if it were raised, the page would still show the columns of another file
        return ShownColumns.without_table(failure_text(error, "the columns of a test set"))


def _hints(context: AppContext, names: list[str], kind: object) -> Hints:
    """The first checkpoint's hints for the columns of a table; pasted lines begin with the source."""
    hints = context.config(names[0]).hints if names else Hints()
    return replace(hints, swap=False) if kind == PASTE else hints


def _names(checkpoints: object) -> list[str]:
    """The names of checkpoints. Raises RequestError for a value that is not a name."""
    names = list(checkpoints) if isinstance(checkpoints, list) else [checkpoints] if checkpoints else []
    for name in names:
        check_name(name)
    return list(map(str, names))
