"""The Learn tab: the course, and the labs."""

from __future__ import annotations

import gradio as gr

from demo.controls.labs import asked_of_labs
from demo.service.context import AppContext
from demo.service.lab_networks import networks_of
from demo.service.live_training import LiveTraining
from demo.views.labs.component import LabsView


def build_learn_tab(context: AppContext) -> None:
    """Each part draws itself when the tab is opened."""
    with gr.Tab("Learn", id="learn", elem_id="learn-tab"):
        asked = asked_of_labs(LiveTraining(context.turns), networks_of(context))
        LabsView(elem_id="labs", server_functions=asked)
