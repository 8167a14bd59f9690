"""The Evaluate tab: the quality of systems on a test set, and the causes of their bad outputs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gradio as gr
from gradio.components import Component

from demo.evaluate.view.component import EvaluationView, server_functions
from demo.evaluate.work.request import (
    DEFAULT_CHANGED,
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
from demo.server.events import PRIVATE
from demo.widgets.chip.component import share_chip
from demo.widgets.columns.component import ColumnChoice, ColumnsView, columns_to_show
from demo.widgets.form.choices import checkpoint_list, own_checkpoints, segments, table_files, with_rounded
from demo.widgets.strategy_picker.component import StrategyPicker
from demo.work.context import AppContext
from demo.work.errors import failure_text, guard
from demo.work.operator.caps import MAX_OUTPUT_TOKENS, MAX_PASTED_CHARACTERS, READING
from demo.work.requests.checks import RequestError, check_choice, check_name, whole
from models.corpus.files.columns import Hints
from models.evaluation.segments import MAX_SYSTEMS, segments_of_table

TEST_SET_KINDS = [("Example", EXAMPLE), ("File", FILE), ("Paste", PASTE)]
EXAMPLE_PAIRS = "¿Dónde está la biblioteca?\tWhere is the library?\nBebo café.\tI drink coffee."
START_EVENT: dict[str, Any] = {**PRIVATE, **READING.queue, "trigger_mode": "multiple"}
FIELDS = ("checkpoints", "strategies", "kind", "file", "pasted", "columns", "training", "changes")
LINKED = ("checkpoints", "strategies", "kind", "pasted", "changes")


class EvaluateForm:
    """The widgets of a request. The style sheet shows only fields for the kind of test set (`data-*`)."""

    def __init__(self, context: AppContext) -> None:
        with gr.Column(elem_classes="card evaluate-form", elem_id="evaluate-card"):
            with gr.Row(elem_classes="evaluate-fields"):
                with gr.Column(elem_classes="evaluate-buttons"):  # first for the keyboard, last on the screen
                    self.run = gr.Button("Evaluate", variant="primary", elem_id="evaluate-run")
                    with share_chip("evaluate", "share-chip-evaluate") as self.share:
                        pass
                with gr.Column():
                    self.checkpoints = _checkpoints(context)
                with gr.Column(elem_classes="evaluate-data"):
                    self._test_set()
            self.strategies = StrategyPicker(few=MAX_SYSTEMS, elem_id="evaluate-strategies")
            with gr.Accordion("More", open=False, elem_id="evaluate-more"), gr.Row():
                label = "Training pairs, to tell which words were seen"
                self.training = table_files(label, height=110, min_width=240, elem_id="evaluate-training")
                self.changes = gr.Slider(
                    0,
                    MAX_CHANGED,
                    value=DEFAULT_CHANGED,
                    step=10,
                    label="Sources to change",
                    info="This many are decoded again with words scrambled, dropped, misspelt and more.",
                    buttons=[],
                    min_width=240,
                    elem_id="evaluate-changes",
                )
        # The values of a request, by name, in the order of `on_evaluate`; and those that a link carries.
        self.fields: dict[str, Component] = {name: getattr(self, name) for name in FIELDS}
        self.linked_fields = {name: self.fields[name] for name in LINKED}

    def _test_set(self) -> None:
        self.kind = segments(
            "Test set",
            "Sources with outputs that people wrote. "
            "The example fits the first checkpoint; it is not its card's test set.",
            TEST_SET_KINDS,
            EXAMPLE,
            elem_id="evaluate-kind",
        )
        with gr.Column(elem_classes="data-file"):
            self.file = table_files(height=110, elem_id="evaluate-file")  # two files high
        with gr.Column(elem_classes="data-paste"):
            self.pasted = gr.Textbox(
                EXAMPLE_PAIRS,
                label="Lines",
                info="Source, tab, reference; further columns are outputs of other systems, or scores.",
                lines=5,
                max_lines=12,
                max_length=MAX_PASTED_CHARACTERS,
                elem_id="evaluate-paste",
            )
        self.columns = ColumnsView(elem_id="evaluate-columns", elem_classes="data-columns")


def _checkpoints(context: AppContext) -> gr.Dropdown:
    default = context.default_checkpoint
    return checkpoint_list(
        lambda: with_rounded(context, own_checkpoints(context, None)),
        value=[default] if default else [],
        label="Checkpoints",
        info="One to four systems: each checkpoint with each strategy.",
        multiselect=True,
        max_choices=MAX_SYSTEMS,
        allow_custom_value=True,  # lists differ between visitors, so the handler checks each name
        elem_id="evaluate-checkpoints",
    )


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
) -> dict[str, Any] | None:
    """Recognise the columns of a test set, or say what is wrong with it; None for an example."""
    if kind == EXAMPLE or (kind == FILE and not file) or (kind == PASTE and not text):
        return None
    try:
        hints = _hints(context, _names(checkpoints), kind)
        return columns_to_show(table_of(kind, file, text), ColumnChoice.parse(columns), hints)
    except Exception as error:  # if it were raised, the page would still show the columns of another file
        return {"problem": failure_text(error, "the columns of a test set")}


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
