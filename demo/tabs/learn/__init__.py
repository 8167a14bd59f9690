"""The Learn tab: the course, and the labs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import gradio as gr

from demo.controls.labs import lab_server_functions
from demo.service.context import AppContext
from demo.service.lab_networks import networks_of
from demo.service.live_training import LiveTraining
from demo.views.course.component import CourseMap
from demo.views.labs.component import LabsView


def build_learn_tab(context: AppContext, course: Sequence[Callable[..., object]]) -> None:
    """Build the tab, whose parts draw themselves when it is opened; `course`: server functions of the map."""
    with gr.Tab("Learn", id="learn", elem_id="learn-tab"):
        CourseMap(elem_id="course", server_functions=course)
        lab_functions = lab_server_functions(LiveTraining(context.turns), networks_of(context))
        LabsView(elem_id="labs", server_functions=lab_functions)
