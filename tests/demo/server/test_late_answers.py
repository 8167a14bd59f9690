"""No answer of the server replaces a later change of the reader."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gradio as gr
import pytest

from demo.page.interface import build_demo
from demo.server.events import fill_in
from demo.server.gradio_compat import BlockFunction
from demo.work.context import AppContext
from demo.work.hub import Hub
from models.hub.settings import HubSettings
from tests.fakes.training.form import training_context

# Other tabs choose a checkpoint at a click there, and poll for the list of checkpoints.
OTHER_TABS = "Checkpoint", "Second checkpoint"
CONTROLS = gr.Textbox, gr.Radio, gr.Slider, gr.Number, gr.Dropdown


def test_late_values_have_the_form_that_gradio_sends() -> None:
    with gr.Blocks(analytics_enabled=False) as page:
        text, size, example, message = gr.Textbox(), gr.Slider(1, 4), gr.Button(), gr.Textbox()

        def handler(name: object) -> list[Any]:
            return [name, gr.update(value=7, maximum=7), gr.Button("ask", visible=True), "said"]

        fill_in(text.change, handler, [text], [text, size, example], messages=[message])
    question = next(function for function in page.fns.values() if function.fn is not None)
    answer, sentence = question.fn("mine", 5, None, None)
    update = {"__type__": "update"}
    assert answer == {
        "number": 5,
        "values": ["mine", {"value": 7, "maximum": 7, **update}, {"value": "ask", "visible": True, **update}],
    }
    assert sentence == "said"


def test_an_answer_without_a_message_is_one_value() -> None:
    with gr.Blocks(analytics_enabled=False) as page:
        text = gr.Textbox()
        fill_in(text.change, str.upper, [text], [text])
    question = next(function for function in page.fns.values() if function.fn is not None)
    assert len(question.outputs) == 1
    assert question.fn("mine", 1) == {"number": 1, "values": ["MINE"]}


# A recipe that the reader uploads replaces the form.
RECIPE = "on_load"


@pytest.mark.slow
def test_no_choice_of_the_training_form_overwrites_others(shipped: Path, tmp_path: Path) -> None:
    page = build_demo(training_context(shipped, tmp_path / "runs"))
    begin = next(function for function in page.fns.values() if name_of(function) == "on_begin")
    _visitor, title, _start, *others = begin.inputs  # the choices of the start follow the finished runs
    controls = [control for control in (title, *others) if isinstance(control, CONTROLS)]
    assert len(controls) > 20
    writers = {
        name_of(function)
        for function in page.fns.values()
        if function.fn is not None and not {*controls}.isdisjoint(function.outputs)
    }
    assert writers == {RECIPE}


def name_of(function: BlockFunction) -> str:
    """The name of a handler, "" for an event without one."""
    return getattr(function.fn, "__name__", "")


@pytest.mark.slow
@pytest.mark.parametrize("tab", ["decode", "compare"])
def test_answers_change_a_form_only_by_fill_in(context: AppContext, tab: str) -> None:
    page = build_demo(context)
    names = {block.elem_id: block for block in page.blocks.values() if getattr(block, "elem_id", None)}
    share = names[f"share-{tab}"]
    form = next(
        function.inputs
        for function in page.fns.values()
        if function.js
        and "unrolled.gather(" in str(function.js)
        and (share._id, "gather") in function.targets
    )
    controls = [control for control in form if isinstance(control, CONTROLS)]
    assert len(controls) > 4
    writers = [
        (function.fn.__name__, control.label)
        for function in page.fns.values()
        if function.fn is not None
        for control in function.outputs
        if control in controls and control.label not in OTHER_TABS
    ]
    assert writers == []


@pytest.mark.slow
def test_no_choice_is_dropped_while_the_answer_to_an_earlier_one_is_under_way(
    shipped: Path, tmp_path: Path
) -> None:
    page = build_demo(training_context(shipped, tmp_path / "runs"))
    choices = [
        function
        for function in page.fns.values()
        if "sendQuestion" in str(function.js) and any(event == "input" for _, event in function.targets)
    ]
    assert len(choices) > 5
    assert {function.trigger_mode for function in choices} == {"multiple"}


@pytest.mark.slow
def test_no_refresh_is_dropped_while_an_earlier_one_is_under_way(shipped: Path, tmp_path: Path) -> None:
    """Two models that are added at once both reach the lists: requests that overlap end at any time."""
    context = training_context(shipped, tmp_path / "runs")
    context.hub = Hub(HubSettings(root=tmp_path / "cache"))
    page = build_demo(context)
    requests = {number for number, function in page.fns.items() if function.trigger_mode == "multiple"}
    refreshes = [f for f in page.fns.values() if f.fn is not None and f.trigger_after in requests]
    assert {"on_gallery", "on_lists"} <= {name_of(function) for function in refreshes}
    assert [name_of(function) for function in refreshes if function.trigger_mode == "once"] == []
