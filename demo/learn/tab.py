"""The Learn tab: the course with its lessons, its class and its dock."""

from __future__ import annotations

import gradio as gr

from demo.learn.course_map.component import CourseMap, on_course
from demo.learn.lab_page.component import LabsView
from demo.learn.lab_page.live_training import LiveTraining
from demo.learn.lab_page.networks import networks_of
from demo.learn.lab_page.server_functions import lab_server_functions
from demo.learn.lessons.answers import server_function
from demo.work.context import AppContext


def build_learn_tab(context: AppContext) -> None:
    """Build the tab, whose parts draw themselves when it is opened."""
    with gr.Tab("Learn", id="learn", elem_id="learn-tab"):
        CourseMap(elem_id="course", server_functions=[server_function("course", on_course)])
        lab_functions = lab_server_functions(LiveTraining(context.turns), networks_of(context))
        LabsView(elem_id="labs", server_functions=lab_functions)
