"""The Training tab: choose data and a network, watch a run, use what it has learnt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from demo.errors import guarded
from demo.operator.caps import MAX_READING
from demo.server.queues import decoding
from demo.service.context import AppContext
from demo.service.training.report_cache import Reports
from demo.tabs.training.choices import SET_UP, WATCH, can_be_tuned, recorded_titles
from demo.tabs.training.data_card import DataCard, build_data_card
from demo.tabs.training.handlers import on_begin, on_forget, on_load, on_look, on_preset, on_save, on_task
from demo.tabs.training.push_card import wire_push
from demo.tabs.training.run_handlers import (
    on_archive,
    on_compare,
    on_open,
    on_poll,
    on_recorded,
    on_remove,
    on_resume,
    on_stop,
    on_tensorboard,
    on_visit,
)
from demo.tabs.training.run_panel import RunPanel, build_run_panel
from demo.tabs.training.settings_card import SettingsCard, build_settings_card

QUICK: dict[str, Any] = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
# In the queue, without which an error reaches nobody.
ACTION: dict[str, Any] = {
    "show_progress": "hidden",
    "concurrency_id": "training-actions",
    "concurrency_limit": 8,
    "api_visibility": "private",
}
# For what takes a run's id, which its handler checks: Gradio knows only the lists of this session,
# and a page that was open before the server was started again belongs to none.
RAW_QUICK, RAW_ACTION = {**QUICK, "preprocess": False}, {**ACTION, "preprocess": False}
READING = decoding(show_progress="minimal", api_visibility="private")  # waits in a line of our own
WORKING: dict[str, Any] = {
    "show_progress": "minimal",
    "concurrency_id": "training-data",
    "concurrency_limit": MAX_READING,
    "api_visibility": "private",
}
SAVE = """(text) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = `${JSON.parse(text).name}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}"""
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
TO_RUN = "() => setTimeout(() => document.getElementById('training-mode').scrollIntoView(), 100)"


@dataclass(frozen=True)
class Elsewhere:
    """Widgets of other tabs that a run's checkpoint goes to."""

    tabs: gr.Tabs
    decode: gr.Dropdown
    compare: gr.Dropdown
    compare_other: gr.Dropdown
    compare_mode: gr.Radio

    @property
    def pickers(self) -> list[gr.Dropdown]:
        """Every choice of a checkpoint."""
        return [self.decode, self.compare, self.compare_other]


def build_training_tab(
    context: AppContext, page: gr.Blocks, visitor: gr.BrowserState, elsewhere: Elsewhere
) -> None:
    """Widgets first, wiring last."""
    with gr.Tab("Training", id="training", elem_id="training-tab"):
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
                data = build_data_card()
            with gr.Column(min_width=320):
                names = (name for name in context.registry.names() if can_be_tuned(context, name))
                settings = build_settings_card(tuple(names))
            with gr.Column(min_width=320):
                gr.HTML("<h2>Runs</h2>", elem_classes="for-screen-readers")
                panel = build_run_panel(context.hub is not None, recorded_titles(context))
        with head:
            settings.begin.render()  # type: ignore[no-untyped-call]
        panel.view.render()  # type: ignore[no-untyped-call]
    reports = Reports(context.training.runs) if context.training is not None else None
    _wire_form(context, visitor, data, settings, panel, mode)
    if reports is not None:
        pickers = [*elsewhere.pickers, settings.start]
        _wire_run(context, reports, visitor, panel, pickers)
        _wire_recorded(context, visitor, mode, panel)
        _wire_uses(context, reports, visitor, panel, elsewhere)
        if panel.push is not None:
            wire_push(context, visitor, panel.run, panel.push)
        _wire_visit(context, page, visitor, panel, pickers, (mode, elsewhere.tabs))


def _wire_form(
    context: AppContext,
    visitor: gr.BrowserState,
    data: DataCard,
    settings: SettingsCard,
    panel: RunPanel,
    mode: gr.Radio,
) -> None:
    names = tuple(data.inputs)
    fields = list(settings.fields.values())
    form = [settings.title, settings.start, *data.inputs.values(), *fields]
    looked = [data.preview, *data.columns, settings.expectation, settings.command]
    look = guarded(on_look, context, names)
    for event in (data.look.click, data.inputs["path"].upload):  # type: ignore[attr-defined]
        event(look, [visitor, *form], looked, **READING, show_progress_on=data.preview)
    data.forget.click(guarded(on_forget, context), visitor, data.preview, **ACTION)
    for column in data.columns:
        column.input(look, [visitor, *form], looked, **READING, show_progress_on=data.preview)
    chosen = [data.kind, data.task, settings.start]
    for widget in (data.kind, data.task):
        widget.input(guarded(on_task, context), chosen, fields, **QUICK)  # type: ignore[attr-defined]
    preset = guarded(on_preset, context)
    for widget in (settings.preset, settings.start):
        widget.input(preset, [settings.preset, *chosen], fields, **QUICK)
    begun = settings.begin.click(
        guarded(on_begin, context, names),
        [visitor, *form],
        [panel.run, panel.overlays, settings.expectation, settings.command],
        **READING,
        show_progress_on=settings.expectation,
    )
    begun.success(lambda: (gr.Timer(active=True), WATCH), None, [panel.timer, mode], js=TO_RUN, **QUICK)
    saved = settings.save.click(guarded(on_save, context, names), form, panel.recipe, **ACTION)
    saved.success(None, panel.recipe, None, js=SAVE)
    settings.load.upload(guarded(on_load, context, names), settings.load, form, **ACTION)


def _wire_recorded(context: AppContext, visitor: gr.BrowserState, mode: gr.Radio, panel: RunPanel) -> None:
    """A run that is chosen is watched."""
    panel.run.input(lambda: WATCH, None, mode, **QUICK)
    for run_id, button in panel.recorded.items():
        show = guarded(on_recorded, context, run_id)
        button.click(show, visitor, [panel.run, panel.overlays], **QUICK).success(
            lambda: WATCH, None, mode, js=TO_RUN, **QUICK
        )


def _wire_run(
    context: AppContext,
    reports: Reports,
    visitor: gr.BrowserState,
    panel: RunPanel,
    pickers: list[gr.Dropdown],
) -> None:
    poll = guarded(on_poll, context, reports)
    chosen = pickers[:-1]  # not where to start from
    shown = [visitor, panel.run, panel.overlays, *chosen], [panel.view, panel.timer, panel.compare, *pickers]
    for event in (panel.timer.tick, panel.run.change, panel.overlays.change):
        event(poll, *shown, **RAW_QUICK)
    changes = (
        panel.stop.click(guarded(on_stop, context), panel.run, None, **RAW_ACTION),
        panel.resume.click(guarded(on_resume, context), panel.run, None, **RAW_ACTION),
        panel.remove.click(
            guarded(on_remove, context), [visitor, panel.run], [panel.run, panel.overlays], **RAW_ACTION
        ),
    )
    for change in changes:
        # What is refused, another page has changed: `then` would follow only what went well.
        for after in (change.success, change.failure):
            after(poll, *shown, **RAW_QUICK)
    panel.link.click(None, panel.run, None, js=LINK)


def _wire_uses(
    context: AppContext, reports: Reports, visitor: gr.BrowserState, panel: RunPanel, elsewhere: Elsewhere
) -> None:
    panel.open.click(
        guarded(on_open, context), [visitor, panel.run], [elsewhere.decode, elsewhere.tabs], **RAW_ACTION
    )
    compared = [elsewhere.compare, elsewhere.compare_other, elsewhere.compare_mode, elsewhere.tabs]
    panel.compare.click(guarded(on_compare, context), [visitor, panel.run], compared, **RAW_ACTION)
    archives = (
        (panel.folder, guarded(on_archive, context)),
        (panel.tensorboard, guarded(on_tensorboard, context, reports)),
    )
    for button, handler in archives:
        button.click(handler, panel.run, panel.download, **WORKING, preprocess=False).success(None, js=TAKE)


def _wire_visit(
    context: AppContext,
    page: gr.Blocks,
    visitor: gr.BrowserState,
    panel: RunPanel,
    pickers: list[gr.Dropdown],
    opened: tuple[gr.Radio, gr.Tabs],
) -> None:
    visit = guarded(on_visit, context)

    # A function of its own: Gradio finds the request by its annotation.
    def arrive(request: gr.Request, token: object) -> Any:
        return visit(request.query_params.get("run", ""), token)

    page.load(arrive, visitor, [visitor, panel.run, panel.overlays, *pickers, *opened], **QUICK)
