"""The wiring of the form: preview, filling in, start, saving and loading; and options of events."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

import gradio as gr
from gradio.components import Component

from demo.server.events import PRIVATE, QUICK, decoding, fill_in
from demo.training import handlers
from demo.training.data_preview.component import DataView
from demo.training.form.data_card import DataCard
from demo.training.form.settings_card import SettingsCard
from demo.training.run_panel import RunPanel
from demo.work.context import AppContext
from demo.work.errors import guard
from demo.work.operator import caps

# The queue reports errors; a call outside it would fail silently.
RUN_EVENT: dict[str, Any] = {**PRIVATE, **caps.RUNS.queue}
# An event with a run's id. Its handler checks the id: Gradio knows only the lists of this session, and a page
# that was open before the server restarted belongs to no session.
RAW_RUN_EVENT: dict[str, Any] = {**RUN_EVENT, "preprocess": False}
# Events that read data; they alone show Gradio's progress. If a handler with visible progress raises, Gradio
# covers the widget with a bare "Error", so these handlers return the message as the value of a widget.
READING = decoding(show_progress="minimal", api_visibility="private")
FILE_EVENT: dict[str, Any] = {**PRIVATE, **caps.READING.queue}
TO_RUN = "document.getElementById('training-mode').scrollIntoView()"

SAVE = """(text) => {
  if (!text) return;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = `${JSON.parse(text).name}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}"""
SCROLL = f"setTimeout(() => {TO_RUN}, 100);"


def wire_form(
    context: AppContext,
    visitor: gr.BrowserState,
    data: DataCard,
    settings: SettingsCard,
    panel: RunPanel,
    mode: gr.Radio,
) -> None:
    """Connect the form. `mode` is the mode of the tab: a run that has begun is shown."""
    names = tuple(data.inputs)
    form = [settings.title, settings.start, *data.inputs.values(), *settings.fields.values()]
    _wire_previews(context, [visitor, *form], data, settings)
    _wire_filling(context, visitor, data, settings)
    outcome = [settings.problem, data.preview, settings.expectation, settings.command]
    begun = settings.begin.click(
        guard(handlers.on_begin, context, names),
        [visitor, *form],
        [panel.run, panel.overlays, *outcome, panel.timer, mode],
        js=data.preview.requested,
        **READING,
        show_progress_on=settings.expectation,
    )
    follow = f"(mode) => {{ if (mode === 'run') {{ ({data.preview.answered})(); {SCROLL} }} }}"
    begun.success(None, mode, None, js=follow, **QUICK)
    saving = settings.save.click(
        guard(handlers.on_save, context, names), form, [panel.recipe, settings.problem], **RUN_EVENT
    )
    saving.success(None, panel.recipe, None, js=SAVE)
    load = guard(handlers.on_load, context, names)
    settings.load.upload(load, settings.load, [*form, settings.problem], **RUN_EVENT)


def _wire_previews(
    context: AppContext, form: list[gr.components.Component], data: DataCard, settings: SettingsCard
) -> None:
    """Mark the preview as out of date as soon as the form changes."""
    previewed = [data.preview, data.columns, settings.expectation, settings.command]
    preview = guard(handlers.on_preview, context, tuple(data.inputs))
    # While a reader goes on choosing, no answer may put the columns back.
    choosing = partial(data.columns.chosen, trigger_mode="always_last")
    preview_again = guard(handlers.on_chosen, context, tuple(data.inputs))
    for event, handler, outputs in (
        (data.preview_button.click, preview, previewed),
        (data.path.upload, preview, previewed),
        (choosing, preview_again, [widget for widget in previewed if widget is not data.columns]),
    ):
        answer = event(
            handler, form, outputs, js=data.preview.requested, **READING, show_progress_on=data.preview
        )
        answer.success(None, js=data.preview.answered, **QUICK)
    previews_by_itself = (data.columns, data.path)
    others = [widget for widget in data.inputs.values() if widget not in previews_by_itself]
    changes = [widget.change for widget in (settings.start, *others, *settings.fields.values())]  # type: ignore[attr-defined]
    gr.on(changes, None, js=data.preview.changed, **QUICK)


def _wire_filling(
    context: AppContext, visitor: gr.BrowserState, data: DataCard, settings: SettingsCard
) -> None:
    fields = list(settings.fields.values())
    choices = [settings.preset, data.kind, data.task, settings.start]
    for widget, handler in (
        (settings.preset, handlers.on_preset),
        (settings.start, handlers.on_preset),
        (data.task, handlers.on_task),
    ):
        fill_in(
            widget.input,
            guard(handler, context),
            choices,
            fields,
            must_be_unchanged=widget,
            trigger_mode="multiple",
        )
    fill_in(
        data.kind.input,
        guard(handlers.on_kind, context),
        [visitor, *choices],
        [settings.start, *fields],
        must_be_unchanged=data.kind,
        messages=[data.corrections],
        trigger_mode="multiple",
    )
    forgotten = data.forget.click(guard(handlers.on_forget, context), visitor, data.corrections, **RUN_EVENT)
    forgotten.success(None, js=data.preview.changed, **QUICK)


def wire_corrections(context: AppContext, visitor: gr.BrowserState, tab: gr.Tab, data: DataCard) -> None:
    """Add corrections made meanwhile to the list."""
    tab.select(guard(handlers.on_corrections, context), [visitor, data.kind], data.corrections, **QUICK)


Form = Mapping[str, Component]  # keys: names in a link


def wire_address(tab: gr.Tab, form: Form, preview: DataView) -> None:
    """Give the page's script the fields that differ from the initial form, after changes."""
    initial = json.dumps([getattr(widget, "value", None) for widget in form.values()])
    script = (
        f"(...values) => {{ unrolled.gather('training', ['form'], "
        f"[unrolled.changedFields({json.dumps(list(form))}, {initial}, values)]); }}"
    )
    changes = [form[name].change for name in ("name", "preset")]  # type: ignore[attr-defined]
    for on in (tab.select, preview.gather, *changes):  # the preview notes the changes of the other fields
        on(None, list(form.values()), None, js=script, trigger_mode="multiple", **QUICK)
    tab.select(None, None, form["text"], js="() => unrolled.leftField('text')", **QUICK)
