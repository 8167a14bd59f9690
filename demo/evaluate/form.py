"""The widgets of the Evaluate tab above its result."""

from __future__ import annotations

import gradio as gr
from gradio.components import Component

from demo.evaluate.work.request import DEFAULT_CHANGED, EXAMPLE, FILE, MAX_CHANGED, PASTE
from demo.widgets.columns.component import ColumnsView
from demo.widgets.form.chip import share_chip
from demo.widgets.form.choices import checkpoint_list, own_checkpoints, with_rounded
from demo.widgets.form.widgets import segments
from demo.widgets.strategy_picker.component import StrategyPicker
from demo.work.context import AppContext
from demo.work.operator.caps import MAX_PASTED_CHARACTERS
from models.evaluation.segments import MAX_SYSTEMS

TEST_SET_KINDS = [("Example", EXAMPLE), ("File", FILE), ("Paste", PASTE)]
EXAMPLE_PAIRS = "¿Dónde está la biblioteca?\tWhere is the library?\nBebo café.\tI drink coffee."

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
                self.training = gr.File(
                    label="Training pairs, to tell which words were seen",
                    file_count="multiple",
                    type="filepath",
                    height=110,
                    min_width=240,
                    elem_id="evaluate-training",
                )
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
            self.file = gr.File(
                label="TSV, CSV, JSON Lines, TMX, or line-aligned files: test.es + test.en",
                file_count="multiple",
                type="filepath",
                height=110,  # two files
                elem_id="evaluate-file",
            )
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
