"""The widgets around the picture of a run: choice, actions, downloads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import gradio as gr

from demo.training.push.card import PushCard
from demo.training.run.component import RunView

POLL_SECONDS = 2.0
FIRST_POLL_SECONDS = 0.5  # until the curves of a run that begins have a point


class RunPanel:
    """A card for the choice, and the view, whose state decides which buttons the style sheet shows."""

    def __init__(self, pushes: bool, recorded: Mapping[str, str]) -> None:
        """`pushes` adds the upload to the Hub. `recorded`: the titles of the runs that ship, by their ids."""
        with gr.Column(elem_classes="card train-runs", elem_id="train-runs"):
            with gr.Row(elem_classes="run-pickers"):
                self.run = gr.Dropdown(
                    [],
                    value=None,
                    label="Your runs",
                    info="They go on when you close the page.",
                    filterable=False,
                    elem_id="run-choice",
                    min_width=220,
                )
                self.overlays = gr.Dropdown(
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
                self.stop = _button("Stop and save", "run-stop")
                self.resume = _button("Resume", "run-resume")
                self.link = _button("Copy link", "run-link")
                self.open = _button("Open in Decode", "run-open", "primary")
                self.compare = _button("Compare with the original", "run-compare")
                self.folder = _button("Download the folder", "run-folder")
                self.remove = _button("Remove", "run-remove")
            self.recorded = _recorded_run_buttons(recorded)
            self.download = gr.DownloadButton("Download", visible="hidden", elem_id="run-download")
            self.recipe = gr.Textbox(visible=False)  # text on its way into a file
            self.compared = gr.Textbox(visible=False)  # JSON on its way to the Compare tab
            self.push = PushCard() if pushes else None
        self.view = RunView(elem_id="training-run", render=False)
        self.timer = gr.Timer(POLL_SECONDS, active=False)


def _recorded_run_buttons(titles: Mapping[str, str]) -> dict[str, gr.Button]:
    with gr.Column(elem_classes="run-recorded", visible=bool(titles)):
        gr.Markdown("Or watch a recorded run: nothing is trained, and nothing has to be waited for.")
        return {run_id: gr.Button(title, size="sm", elem_classes="quiet") for run_id, title in titles.items()}


def _button(text: str, elem_id: str, variant: Literal["primary", "secondary"] = "secondary") -> gr.Button:
    return gr.Button(
        text, variant=variant, size="sm", elem_id=elem_id, elem_classes="run-action", min_width=0
    )
