"""The Training tab: choose data and a network, watch a run, use what it has learnt."""

from __future__ import annotations

from typing import Any

import gradio as gr

from demo.server.events import QUICK, RAW_QUICK
from demo.server.gradio_compat import event_data
from demo.training import run_handlers
from demo.training.choices import SET_UP, WATCH, recorded_titles, start_choices, training_service
from demo.training.form.data_card import DataCard
from demo.training.form.settings_card import SettingsCard
from demo.training.form.wiring import (
    FILE_EVENT,
    RAW_RUN_EVENT,
    TO_RUN,
    Form,
    wire_address,
    wire_corrections,
    wire_form,
)
from demo.training.push.card import wire_push
from demo.training.run_panel import RunPanel
from demo.training.work.run_report import RunReports
from demo.widgets.form.choices import OtherTabs, own_checkpoints
from demo.work.context import AppContext
from demo.work.errors import guard

TAKE = """() => setTimeout(() => {
  const button = document.querySelector("#run-download");
  (button.querySelector("a") ?? button).click();
}, 200)"""
LINK = """async (run) => {
  const url = new URL(window.location);
  url.search = "";
  url.hash = "";
  url.searchParams.set("run", run ?? "");
  if (!(await unrolled.copy(url.href))) {
    window.prompt(unrolled.t("Copy it from here"), url.href);
    return;
  }
  const button = document.getElementById("run-link");
  button.textContent = unrolled.t("Copied");
  setTimeout(() => { button.textContent = unrolled.t("Copy link"); }, 1500);
}"""

# The last run's buttons go with it, and the focus would be lost with them.
REFOCUS = """() => setTimeout(() => {
  const mode = document.querySelector("#training-mode input:checked");
  if (document.activeElement === document.body) mode.focus();
}, 200)"""


def build_training_tab(context: AppContext, others: OtherTabs) -> Form:
    """Build the widgets, then connect them. Returns the fields of the form, by their names in a link."""
    with gr.Tab("Training", id="training", elem_id="training-tab") as tab:
        with gr.Row(elem_classes="training-head") as head:
            # The style sheet shows what is chosen.
            mode = gr.Radio(
                [("Set up a run", SET_UP), ("Watch a run", WATCH)],
                value=SET_UP,
                label="What to do",
                show_label=False,
                interactive=True,
                elem_id="training-mode",
                elem_classes="segmented",
            )
        with gr.Row(elem_classes="cards training-cards"):
            with gr.Column(min_width=320):
                data = DataCard()
            with gr.Column(min_width=320):
                settings = SettingsCard(lambda: start_choices(context, own_checkpoints(context, None)))
            with gr.Column(min_width=320):
                gr.HTML("<h2>Runs</h2>", elem_classes="for-screen-readers")
                panel = RunPanel(context.hub is not None, recorded_titles(context))
        with head:
            settings.begin.render()  # type: ignore[no-untyped-call]
        panel.view.render()  # type: ignore[no-untyped-call]
    with tab:  # some answers are hidden components
        wire_form(context, others.visitor, data, settings, panel, mode)
    wire_corrections(context, others.visitor, tab, data)
    form = {
        "name": settings.title,
        "start": settings.start,
        "preset": settings.preset,
        **{name: widget for name, widget in data.inputs.items() if name not in ("path", "columns")},
        **settings.fields,
    }
    wire_address(tab, form, data.preview)
    training = training_service(context)
    # Whoever opens the tab, looks at data or chooses a preset may start a run soon.
    signs = [tab.select, data.preview_button.click, settings.preset.input]
    gr.on(signs, guard(training.launcher.prepare), None, None, **QUICK)
    reports = RunReports(training.runs)
    pickers = [*others.pickers, settings.start]
    _wire_run(context, reports, panel, others, pickers)
    _wire_recorded(context, panel, others, mode)
    _wire_uses(context, reports, panel, others)
    if panel.push is not None:
        wire_push(context, others.visitor, panel.run, panel.push)
    visit = guard(run_handlers.on_visit, context)

    def arrive(request: gr.Request, token: object) -> Any:
        return visit(request.query_params.get("run", ""), token)

    visited = [others.visitor, panel.run, panel.overlays, *pickers, mode, others.tabs]
    others.page.load(arrive, others.visitor, visited, **QUICK)
    return form


def _wire_recorded(context: AppContext, panel: RunPanel, others: OtherTabs, mode: gr.Radio) -> None:
    """Show a shipped run when it is chosen."""
    panel.run.input(lambda: WATCH, None, mode, **QUICK)
    for run_id, button in panel.recorded.items():
        show = guard(run_handlers.on_recorded, context, run_id)
        button.click(show, others.visitor, [panel.run, panel.overlays], **QUICK).success(
            lambda: WATCH, None, mode, js=f"() => setTimeout(() => {TO_RUN}, 100)", **QUICK
        )


def _wire_run(
    context: AppContext, reports: RunReports, panel: RunPanel, others: OtherTabs, pickers: list[gr.Dropdown]
) -> None:
    poll = guard(run_handlers.on_poll, context, reports)
    watched = [panel.view, panel.timer, panel.compare, panel.run, panel.overlays, *pickers]
    poll_wiring = [others.visitor, panel.run, panel.overlays, *others.pickers], watched
    for event in (panel.timer.tick, panel.run.change, panel.overlays.change):
        event(poll, *poll_wiring, **RAW_QUICK)
    at_rest = guard(run_handlers.on_rest, context, reports)

    def update_resting_run(event: gr.EventData, *values: object) -> Any:
        return at_rest(event_data(event), *values)

    panel.view.rest(update_resting_run, *poll_wiring, **RAW_QUICK)
    changes = (
        panel.stop.click(guard(run_handlers.on_stop, context), panel.run, None, **RAW_RUN_EVENT),
        panel.resume.click(guard(run_handlers.on_resume, context), panel.run, None, **RAW_RUN_EVENT),
        panel.remove.click(
            guard(run_handlers.on_remove, context),
            [others.visitor, panel.run],
            [panel.view, panel.run, panel.overlays],
            **RAW_RUN_EVENT,
        ),
    )
    for change in changes:
        # A refused change means that another page has changed the run. `then` would follow only a success.
        for after in (change.success, change.failure):
            after(poll, *poll_wiring, **RAW_QUICK)
    changes[-1].success(None, js=REFOCUS, **QUICK)
    panel.link.click(None, panel.run, None, js=LINK)


def _wire_uses(context: AppContext, reports: RunReports, panel: RunPanel, others: OtherTabs) -> None:
    choice = [others.visitor, panel.run]
    decode, *compare = others.pickers
    panel.open.click(guard(run_handlers.on_open, context), choice, [decode, others.tabs], **RAW_RUN_EVENT)
    compared = panel.compare.click(
        guard(run_handlers.on_compare, context, reports), choice, [*compare, panel.compared], **RAW_RUN_EVENT
    )
    compared.success(None, panel.compared, None, js="(asked) => { unrolled.compareTwo(JSON.parse(asked)); }")
    archive = guard(run_handlers.on_archive, context, reports)
    packed = panel.folder.click(archive, panel.run, panel.download, **FILE_EVENT, preprocess=False)
    packed.success(None, js=TAKE)
