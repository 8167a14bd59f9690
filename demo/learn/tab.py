"""The Learn tab: the course with its lessons, its class and its dock."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import gradio as gr

from demo.learn.course_map.component import CourseMap
from demo.learn.lab_page.component import LabsView
from demo.learn.lab_page.live_training import LiveTraining
from demo.learn.lab_page.networks import networks_of
from demo.learn.lab_page.server_functions import lab_server_functions
from demo.work.context import AppContext


def build_learn_tab(context: AppContext, course: Sequence[Callable[..., object]]) -> None:
    """Build the tab, whose parts draw themselves when it is opened; `course`: server functions of the map."""
    with gr.Tab("Learn", id="learn", elem_id="learn-tab"):
        CourseMap(elem_id="course", server_functions=course)
        lab_functions = lab_server_functions(LiveTraining(context.turns), networks_of(context))
        LabsView(elem_id="labs", server_functions=lab_functions)
