"""The Evaluate tab: the quality of systems on a test set, and the causes of their bad outputs."""

from __future__ import annotations

from typing import Any

import gradio as gr
from gradio.components import Component

from demo.evaluate.form import EvaluateForm
from demo.evaluate.handlers import on_columns, on_evaluate
from demo.evaluate.server_functions import server_functions
from demo.evaluate.view.component import EvaluationView
from demo.evaluate.work.jobs import Evaluations
from demo.server.events import PRIVATE
from demo.work.context import AppContext
from demo.work.errors import guard
from demo.work.operator.caps import READING

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
