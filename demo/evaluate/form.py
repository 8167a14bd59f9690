"""The widgets of the Evaluate tab above its result."""

from __future__ import annotations

from dataclasses import dataclass

import gradio as gr
from gradio.components import Component

from demo.evaluate.work.request import DEFAULT_CHANGED, MAX_CHANGED
from demo.evaluate.work.test_sets import EXAMPLE, FILE, PASTE
from demo.widgets.columns.component import ColumnsView
from demo.widgets.form.chip import share_chip
from demo.widgets.form.choices import checkpoint_list, own_checkpoints, with_rounded
from demo.widgets.form.widgets import segments
from demo.widgets.share.component import ShareBar
from demo.widgets.strategy_picker.component import StrategyPicker
from demo.work.context import AppContext
from demo.work.operator.caps import MAX_PASTED_CHARACTERS
from models.evaluation.segments import MAX_SYSTEMS

TEST_SET_KINDS = [("Example", EXAMPLE), ("File", FILE), ("Paste", PASTE)]
EXAMPLE_PAIRS = "¿Dónde está la biblioteca?\tWhere is the library?\nBebo café.\tI drink coffee."

LINKED = ("checkpoints", "strategies", "kind", "pasted", "changes")


@dataclass(frozen=True)
class EvaluateForm:
    """The widgets of a request."""

    checkpoints: gr.Dropdown
    strategies: StrategyPicker
    kind: gr.Radio  # the kind of the test set
    file: gr.File
    pasted: gr.Textbox
    columns: ColumnsView
    training: gr.File
    changes: gr.Slider
    run: gr.Button
    share: ShareBar

    def fields(self) -> dict[str, Component]:
        """The widgets with the values of a request, by name, in the order of `on_evaluate`."""
        return {
            "checkpoints": self.checkpoints,
            "strategies": self.strategies,
            "kind": self.kind,
            "file": self.file,
            "pasted": self.pasted,
            "columns": self.columns,
            "training": self.training,
            "changes": self.changes,
        }

    def linked_fields(self) -> dict[str, Component]:
        """The widgets whose values a link carries, by name."""
        return {name: field for name, field in self.fields().items() if name in LINKED}


def build_form(context: AppContext) -> EvaluateForm:
    """Build a card. The style sheet shows only fields for the kind of test set (classes `data-*`)."""
    with gr.Column(elem_classes="card evaluate-form", elem_id="evaluate-card"):
        with gr.Row(elem_classes="evaluate-fields"):
            with gr.Column(elem_classes="evaluate-buttons"):  # first for the keyboard, last on the screen
                run = gr.Button("Evaluate", variant="primary", elem_id="evaluate-run")
                with share_chip("evaluate", "share-chip-evaluate") as share:
                    pass
            with gr.Column():
                checkpoints = _checkpoints(context)
            with gr.Column(elem_classes="evaluate-data"):
                kind, file, pasted, columns = _test_set()
        strategies = StrategyPicker(few=MAX_SYSTEMS, elem_id="evaluate-strategies")
        with gr.Accordion("More", open=False, elem_id="evaluate-more"):
            training, changes = _more()
    return EvaluateForm(checkpoints, strategies, kind, file, pasted, columns, training, changes, run, share)


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


def _test_set() -> tuple[gr.Radio, gr.File, gr.Textbox, ColumnsView]:
    kind = segments(
        "Test set",
        "Sources with outputs that people wrote. "
        "The example fits the first checkpoint; it is not its card's test set.",
        TEST_SET_KINDS,
        EXAMPLE,
        elem_id="evaluate-kind",
    )
    with gr.Column(elem_classes="data-file"):
        file = gr.File(
            label="TSV, CSV, JSON Lines, TMX, or line-aligned files: test.es + test.en",
            file_count="multiple",
            type="filepath",
            height=110,  # two files
            elem_id="evaluate-file",
        )
    with gr.Column(elem_classes="data-paste"):
        pasted = gr.Textbox(
            EXAMPLE_PAIRS,
            label="Lines",
            info="Source, tab, reference; further columns are outputs of other systems, or scores.",
            lines=5,
            max_lines=12,
            max_length=MAX_PASTED_CHARACTERS,
            elem_id="evaluate-paste",
        )
    columns = ColumnsView(elem_id="evaluate-columns", elem_classes="data-columns")
    return kind, file, pasted, columns


def _more() -> tuple[gr.File, gr.Slider]:
    with gr.Row():
        training = gr.File(
            label="Training pairs, to tell which words were seen",
            file_count="multiple",
            type="filepath",
            height=110,
            min_width=240,
            elem_id="evaluate-training",
        )
        changes = gr.Slider(
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
    return training, changes
