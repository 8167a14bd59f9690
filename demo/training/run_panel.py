"""The widgets around the picture of a run: choice, actions, downloads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import gradio as gr

from demo.training.push.card import PushCard, build_push_card
from demo.training.run.component import RunView

POLL_SECONDS = 2.0
FIRST_POLL_SECONDS = 0.5  # until the curves of a run that begins have a point


@dataclass(frozen=True)
class RunPanel:
    """The widgets; the style sheet shows the buttons that apply to the state on the view's root."""

    run: gr.Dropdown
    overlays: gr.Dropdown
    stop: gr.Button
    resume: gr.Button
    remove: gr.Button
    link: gr.Button
    open: gr.Button
    compare: gr.Button
    folder: gr.Button
    download: gr.DownloadButton
    recipe: gr.Textbox  # text on its way into a file
    compared: gr.Textbox  # the request for the Compare tab, as JSON, on its way there
    view: RunView
    timer: gr.Timer
    push: PushCard | None  # None unless the server talks to the Hub
    recorded: dict[str, gr.Button]  # buttons by the id of the run that each shows


def build_run_panel(pushes: bool, recorded: Mapping[str, str]) -> RunPanel:
    """Build a card for the choice; `pushes` adds the upload to the Hub.

    `recorded` holds the titles of the runs that ship, by their ids.
    """
    with gr.Column(elem_classes="card train-runs", elem_id="train-runs"):
        with gr.Row(elem_classes="run-pickers"):
            run = gr.Dropdown(
                [],
                value=None,
                label="Your runs",
                info="They go on when you close the page.",
                filterable=False,
                elem_id="run-choice",
                min_width=220,
            )
            overlays = gr.Dropdown(
                [],
                value=[],
                multiselect=True,
                label="Behind its curves",
                info="Earlier runs to compare with.",
                elem_id="run-overlays",
                min_width=220,
            )
        with gr.Row(elem_classes="run-actions"):
            # Buttons that appear later stand last, so that none moves under the pointer.
            stop = _button("Stop and save", "run-stop")
            resume = _button("Resume", "run-resume")
            link = _button("Copy link", "run-link")
            open_ = _button("Open in Decode", "run-open", "primary")
            compare = _button("Compare with the original", "run-compare")
            folder = _button("Download the folder", "run-folder")
            remove = _button("Remove", "run-remove")
        recorded_runs = _recorded_run_buttons(recorded)
        download = gr.DownloadButton("Download", visible="hidden", elem_id="run-download")
        recipe, compared = gr.Textbox(visible=False), gr.Textbox(visible=False)
        push = build_push_card() if pushes else None
    view = RunView(elem_id="training-run", render=False)
    timer = gr.Timer(POLL_SECONDS, active=False)
    return RunPanel(
        run,
        overlays,
        stop,
        resume,
        remove,
        link,
        open_,
        compare,
        folder,
        download,
        recipe,
        compared,
        view,
        timer,
        push,
        recorded_runs,
    )


def _recorded_run_buttons(titles: Mapping[str, str]) -> dict[str, gr.Button]:
    with gr.Column(elem_classes="run-recorded", visible=bool(titles)):
        gr.Markdown("Or watch a recorded run: nothing is trained, and nothing has to be waited for.")
        return {run_id: gr.Button(title, size="sm", elem_classes="quiet") for run_id, title in titles.items()}


def _button(text: str, elem_id: str, variant: Literal["primary", "secondary"] = "secondary") -> gr.Button:
    return gr.Button(
        text, variant=variant, size="sm", elem_id=elem_id, elem_classes="run-action", min_width=0
    )
