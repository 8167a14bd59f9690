"""The Learn tab: the course, and the labs."""

from __future__ import annotations

from collections.abc import Sequence

import gradio as gr

from demo.controls.labs import asked_of_labs
from demo.views.course.component import CourseMap, Line
from demo.views.labs.component import LabsView


def build_learn_tab(course: Sequence[Line]) -> None:
    """Each part draws itself when the tab is opened."""
    with gr.Tab("Learn", id="learn", elem_id="learn-tab"):
        CourseMap(course, elem_id="course")
        LabsView(elem_id="labs", server_functions=asked_of_labs())
