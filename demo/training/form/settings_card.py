"""The widgets for the rest of a recipe: start, preset, every setting; and rules that hide some of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import gradio as gr
from gradio.components import Component

from demo.i18n import later
from demo.i18n.display import plain_text, whole_text
from demo.training.work.fields import (
    FIELDS,
    MINUTES,
    PRESETS,
    SECTIONS,
    TEXT_ARCHITECTURES,
    FormField,
    fit_tokens,
    values_of,
    with_bounds,
)
from demo.widgets.form.choices import Choices, checkpoint_list, segments
from demo.work.operator.caps import MAX_TITLE_CHARACTERS
from models.corpus.generated.all_tasks import GENERATED

SCRATCH = (later("A fresh network"), "")


class SettingsCard:
    """The inputs of `TrainingOrder.parse` other than the data, and the buttons.

    The style sheet hides what an architecture lacks (see `training_rules`).
    """

    def __init__(self, starts: Callable[[], Choices]) -> None:
        """`starts` are the choices of networks to start from."""
        with gr.Column(elem_classes="card train-settings", elem_id="train-settings"):
            with gr.Row(elem_classes="settings"):
                self.title = gr.Textbox(
                    label="Name",
                    info="The name of your run and its checkpoint; empty = named after the data.",
                    max_length=MAX_TITLE_CHARACTERS,
                    elem_id="train-name",
                    min_width=160,
                )
                self.start = checkpoint_list(
                    starts,
                    value="",
                    label="Start from",
                    info="Fine-tuning keeps a checkpoint's network and vocabulary.",
                    filterable=False,
                    elem_id="train-start",
                    min_width=160,
                )
            self.preset = segments(
                "Preset",
                "Where to begin; every setting below can be changed.",
                [(preset.title, name) for name, preset in PRESETS.items()],
                MINUTES.config.name,
                elem_id="train-preset",
            )
            for name, item in PRESETS.items():
                classes = ["preset-help", f"preset-{name}"]
                gr.Markdown(item.help, elem_classes=[*classes, *(["for-generated"] if item.help_own else [])])
                if item.help_own:
                    gr.Markdown(item.help_own, elem_classes=[*classes, "for-own"])
            self.fields = _sections()
            # Its place is at the top of the tab: see `build_training_tab`.
            self.begin = gr.Button("Start training", variant="primary", elem_id="train-begin", render=False)
            with gr.Row(elem_classes="train-buttons"):
                self.save = gr.DownloadButton(
                    "Save the recipe", size="sm", elem_classes="quiet", elem_id="train-save"
                )
                self.load = gr.UploadButton(
                    "Load a recipe",
                    size="sm",
                    elem_classes="quiet",
                    file_types=[".json"],
                    type="filepath",
                    elem_id="train-load",
                )
            # The sentence on why the form could not be started, saved or filled in.
            self.problem = _sentence_box("train-problem", "alert")
            self.expectation = _sentence_box("train-expectation", "status")
            with gr.Accordion("The same on a command line", open=False, elem_classes="train-section"):
                self.command = gr.Textbox(
                    label="Command",
                    info="Save the recipe first; the files named in it lie in the folder DATA.",
                    interactive=False,
                    buttons=["copy"],
                    lines=2,
                    elem_id="train-command",
                )


def _sentence_box(elem_id: str, role: str) -> gr.HTML:
    """A box for one sentence."""
    return gr.HTML(
        "",
        html_template=f'<p class="{elem_id}" role="{role}">${{value}}</p>',
        apply_default_css=False,
        elem_id=elem_id,
    )


def _sections() -> dict[str, Component]:
    """Every field by its path, folded away by section."""
    values = values_of(fit_tokens(MINUTES, "reversal"))
    fields: dict[str, Component] = {}
    for section in SECTIONS:
        with gr.Accordion(section, open=False, elem_classes="train-section"), gr.Row(elem_classes="settings"):
            for field in FIELDS:
                if field.section == section:
                    fields[field.path] = _widget(field, values)
    return fields


def shown_values(values: Mapping[str, Any]) -> list[Any]:
    """An update for every field; a field that the recipe lacks keeps its value."""
    # Gradio takes a tuple for one choice of a group of checkboxes.
    sent = {path: [*value] if isinstance(value, tuple) else value for path, value in values.items()}
    paths = [field.path for field in FIELDS]
    return [gr.update(value=sent[path]) if path in sent else gr.skip() for path in paths]


def _widget(field: FormField, values: Mapping[str, Any]) -> Component:
    classes = ["of-architecture", *(f"of-{name}" for name in field.only)] if field.only else []
    setting = field.setting
    common: dict[str, Any] = {
        "label": setting.label,
        "info": setting.help,
        "elem_classes": classes,
        "elem_id": "train-" + field.path.replace(".", "-").replace("_", "-"),
        "min_width": 140,
    }
    value = values.get(field.path, setting.default)
    choices = [(choice.label, choice.value) for choice in setting.choices]
    if setting.kind is bool:
        return gr.Checkbox(value, **common)
    if setting.kind is tuple:
        return gr.CheckboxGroup(choices, value=value, **common)
    if field.path == "network.architecture":
        return gr.Radio(choices, value=value, **{**common, "elem_classes": ["segmented"]})
    if choices:
        return gr.Dropdown(choices, value=value, filterable=False, **common)
    if setting.kind is str:
        return gr.Textbox(value, max_length=setting.characters or 0, **common)
    common["info"] = with_bounds(setting.help, _bound(setting.low), _bound(setting.high))
    return gr.Number(value, precision=0 if setting.kind is int else None, **common)


def _bound(value: float | None) -> str:
    """A bound of a number in words."""
    assert value is not None
    return whole_text(value) if value >= 1000 else plain_text(value)


def training_rules() -> str:
    """The rules that hide all parts of a group except that of the chosen task, preset or architecture."""
    generated = ':has(#train-kind input[value="generated"]:checked)'
    selectors = (
        f".gradio-container{generated} .preset-help.for-own",
        f".gradio-container:not({generated}) .preset-help.for-generated",
        *_others(".train-data", "#train-task", GENERATED, ".task-options", "task"),
        *_others(".train-settings", "#train-preset", PRESETS, ".preset-help", "preset"),
        *_others(
            ".train-settings", "#train-network-architecture", TEXT_ARCHITECTURES, ".of-architecture", "of"
        ),
    )
    return ",\n".join(selectors) + " { display: none !important; }"


def _others(form: str, picker: str, names: Iterable[str], parts: str, prefix: str) -> list[str]:
    selector = f'{form}:has({picker} input[value="%s"]:checked) {parts}:not(.{prefix}-%s)'
    return [selector % (name, name) for name in names]
