"""The widgets for the data of a run."""

from __future__ import annotations

import gradio as gr
from gradio.components import Component

from demo.training.data_preview.component import DataView
from demo.training.work.fields import with_bounds
from demo.widgets.columns.component import ColumnsView
from demo.widgets.form.choices import segments, table_files
from demo.work.operator.caps import MAX_PASTED_CHARACTERS
from models.corpus.files.encoding import ENCODINGS
from models.corpus.generated.all_tasks import GENERATED

KIND_CHOICES = [
    ("Generated", "generated"),
    ("File", "file"),
    ("Paste", "paste"),
    ("From the Hub", "hub"),
    ("My corrections", "corrections"),
]
FIND_OUT = ("find out", "")
EXAMPLE_PAIRS = "good morning\tbuenos días\nthank you\tgracias\nsee you tomorrow\thasta mañana"


class DataCard:
    """The inputs of `DataSource.parse` by name, and the widgets that show the data.

    The style sheet shows only what applies to kind and task (classes `data-*`).
    """

    def __init__(self) -> None:
        self.inputs: dict[str, Component] = {}
        with gr.Column(elem_classes="card train-data", elem_id="train-data"):
            self.kind = self.inputs["kind"] = segments(
                "Data",
                "The training data: pairs of a source and a target.",
                KIND_CHOICES,
                "generated",
                elem_id="train-kind",
            )
            self._generated_data_fields()
            self._tables()
            with gr.Column(elem_classes="data-corrections"):
                gr.Markdown(
                    "Sentences that you have put right on the Decode tab, with its button “Teach this”. "
                    "They are yours alone; fine-tune the checkpoint that made the mistakes on them."
                )
                self.corrections = DataView(elem_id="train-corrections")
                self.forget = gr.Button(
                    "Forget all of them", size="sm", elem_classes="quiet", elem_id="train-forget"
                )
            self.preview_button = gr.Button(
                "Look at the data", elem_id="train-look", size="sm", elem_classes="quiet"
            )
            self.preview = DataView(elem_id="train-preview")

    def _generated_data_fields(self) -> None:
        with gr.Column(elem_classes="data-generated"):
            self.task = self.inputs["task"] = segments(
                "Task",
                "Generated pairs, as many as you like; validation sources never occur in training.",
                [(task.title, task.name) for task in GENERATED.values()],
                "reversal",
                elem_id="train-task",
            )
            for task in GENERATED.values():
                with gr.Column(elem_classes=["task-options", f"task-{task.name}"]):
                    source, target = task.example
                    gr.Textbox(
                        f"{source}  →  {target}",
                        label="For example",
                        info=task.description,
                        interactive=False,
                        elem_classes="task-example",
                    )
                    with gr.Row(elem_classes="settings"):
                        for option in task.options:
                            self.inputs[f"{task.name}.{option.name}"] = gr.Number(
                                option.default,
                                label=option.label,
                                info=with_bounds(option.help, option.low, option.high),
                                precision=0,
                                min_width=140,
                            )

    def _tables(self) -> None:
        with gr.Column(elem_classes="data-file"):
            self.path = self.inputs["path"] = table_files(height=120, elem_id="train-file")
        with gr.Column(elem_classes="data-paste"):
            self.inputs["text"] = gr.Textbox(
                EXAMPLE_PAIRS,
                label="Pairs",
                info="One a line; a tab, => or ||| between source and target.",
                lines=6,
                max_lines=16,
                max_length=MAX_PASTED_CHARACTERS,
                elem_id="train-paste",
            )
        with gr.Row(elem_classes="data-hub"):
            self.inputs["repo"] = gr.Textbox(
                label="Dataset", info="A public one: owner/name.", max_length=200, elem_id="train-repo"
            )
            self.inputs["file"] = gr.Textbox(
                label="File in it", info="Such as data/train.tsv.", max_length=200, elem_id="train-hub-file"
            )
        self.columns = ColumnsView(elem_id="train-columns", elem_classes="data-table")
        self.inputs["columns"] = self.columns
        with gr.Row(elem_classes="settings data-table"):
            self.inputs["encoding"] = gr.Dropdown(
                [FIND_OUT, *((name, name) for name in ENCODINGS)],
                value="",
                label="Encoding",
                info="Encoding of the file. It is detected; choose one only if that is wrong.",
                filterable=False,
                elem_classes="data-encoding",
                min_width=140,
            )
            self.inputs["share"] = gr.Number(
                0.05,
                label="Share for validation",
                info="Pairs that are kept apart, all of a source together; 0.01 to 0.5.",
                min_width=140,
            )
            self.inputs["skip_malformed"] = gr.Checkbox(
                False,
                label="Leave out malformed rows",
                info="Look at them first: the preview lists them with line numbers.",
                min_width=140,
            )
