"""The Learn tab, which has the course as a map and the labs; and the dock of a lesson.

Their root elements are inside the blocks that `elem_id` names. `section.course`: only the browser stores the
progress. `section.labs`: `data-ready` counts the drawn answers, and `data-lab` names the open lab.
`aside.lesson`: hidden until a lesson is opened, when the page fetches its script and style; `data-lesson` and
`data-step` name the current step, and `data-ready` counts the drawn steps.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

import gradio as gr

from demo.i18n import say
from demo.learn.classroom import Classrooms
from demo.learn.lab_answers import LiveTraining, lab_server_functions, networks_of
from demo.learn.lessons import answers, lessons, questions
from demo.learn.lessons.class_answers import on_class_state, on_lead, on_open, on_predict, on_results
from demo.learn.lessons.lesson import CHAPTERS, LessonStep, text_of
from demo.learn.lessons.states import States
from demo.server.assets import address, register_text
from demo.widgets.figures.figure import dark_by_light
from demo.widgets.share.component import on_qr_code
from demo.widgets.view.assets import asset
from demo.widgets.view.modules import lazy_address, plotly_address
from demo.widgets.view.view import View, with_colours
from demo.work.context import AppContext

DOCK_TEMPLATE = '<aside class="lesson" data-ready="0" hidden></aside>'
DOCK_STYLES = "lesson-style", "lesson.css"
QUESTION = re.compile(r".*?[?？]")
LAB_STYLES = (
    "learn/lab_page/view.css",
    "widgets/menus/menu.css",
    "widgets/answers/shown.css",
    "widgets/answers/program.css",
)


class LessonDock(View):
    """The dock of a lesson, without value and event; its script calls `demo.learn.lessons.answers`."""

    def __init__(self, *, elem_id: str, server_functions: Sequence[Callable[..., object]]) -> None:
        """`server_functions` by name: lesson, step, reveal."""
        register_text(*DOCK_STYLES, dock_style())
        super().__init__(
            "learn/dock",
            template=DOCK_TEMPLATE,
            style="",
            elem_id=elem_id,
            server_functions=list(server_functions),
            lazy=lazy_address("learn/dock"),
            lazy_style=address(*DOCK_STYLES),
        )


def dock_style() -> str:
    """The style sheet of the dock."""
    return with_colours(".lesson", "learn/dock/lazy/dock.css", nested=False)


def lesson_server_functions(
    context: AppContext, classes: Classrooms
) -> list[Callable[..., Awaitable[answers.Answer]]]:
    """Return the server functions of a `LessonDock`, by the names that its script uses."""
    states = States(context)
    functions: dict[str, Callable[[answers.Fields], answers.Answer]] = {
        "lesson": answers.on_lesson,
        "step": partial(answers.on_step, states),
        "reveal": partial(answers.on_reveal, states),
        "recap": partial(answers.on_recap, states),
        "quiz": partial(answers.on_quiz, states),
        "paired": answers.on_paired,
        "class_open": partial(on_open, classes),
        "class_predict": partial(on_predict, classes),
        "class_lead": partial(on_lead, classes),
        "class_look": partial(on_class_state, classes),
        "class_results": partial(on_results, classes, states),
        "qr_code": on_qr_code,
    }
    return [answers.server_function(name, answer) for name, answer in functions.items()]


class LabsView(View):
    """The list of labs and the open one. It has no value and no event.

    Its script calls the server functions of `demo.learn.lab_answers`.
    """

    def __init__(self, *, elem_id: str, server_functions: Sequence[Callable[..., object]]) -> None:
        """`server_functions`: `list_labs` lists the labs, `compute` answers for one."""
        inside = asset("widgets/answers/shown.html").replace("TITLE", "The numbers of the lab")
        super().__init__(
            "learn/lab_page",
            template=asset("learn/lab_page/view.html").replace("SHOWN", inside),
            style=with_colours(".labs", *LAB_STYLES),
            elem_id=elem_id,
            server_functions=list(server_functions),
            dark=dark_by_light(),
            plotly_source=plotly_address(),
        )


class CourseMap(View):
    """Shows the lessons, which its script requests and opens; it has no value and no event."""

    def __init__(self, *, elem_id: str, server_functions: Sequence[Callable[..., object]]) -> None:
        """`server_functions`: `course` lists the lessons in their order."""
        super().__init__(
            "learn/course_map",
            style=with_colours(".course", "learn/course_map/view.css"),
            elem_id=elem_id,
            server_functions=list(server_functions),
        )


def on_course(_: object) -> dict[str, Any]:
    """Return all lessons in order, with chapter titles, and the questions above them."""
    return {
        "questions": [question(step) for step in questions().steps],
        "lines": [
            {
                "id": lesson.id,
                "chapter": say(CHAPTERS[lesson.chapter]),
                "title": text_of(lesson.title),
                "reading": text_of(lesson.reading),
                "minutes": lesson.minutes,
                "steps": len(lesson.steps),
            }
            for lesson in lessons()
        ],
    }


def question(step: LessonStep) -> str:
    """Return the question at the start of a step's text."""
    return QUESTION.match(text_of(step.text))[0]  # type: ignore[index]  # a test holds each step to it


def build_learn_tab(context: AppContext) -> None:
    """Build the tab, whose parts draw themselves when it is opened."""
    with gr.Tab("Learn", id="learn", elem_id="learn-tab"):
        CourseMap(elem_id="course", server_functions=[answers.server_function("course", on_course)])
        lab_functions = lab_server_functions(LiveTraining(context.turns), networks_of(context))
        LabsView(elem_id="labs", server_functions=lab_functions)
