"""A link to the form of the Training tab."""

from __future__ import annotations

from typing import Any

import gradio as gr
import pytest

from demo.links import Link
from demo.links.targets.training import training_target


@pytest.fixture
def form() -> dict[str, Any]:
    with gr.Blocks(analytics_enabled=False):
        return {
            "name": gr.Textbox(label="Name", max_length=10),
            "task": gr.Radio([("Copy", "copy"), ("Sort", "sort")], label="Task"),
            "epochs": gr.Number(label="Epochs"),
            "bf16": gr.Checkbox(label="Half precision"),
            "freeze": gr.CheckboxGroup(["encoder", "decoder"], label="Freeze"),
        }


def filled(form: dict[str, Any], text: str) -> tuple[dict[str, Any], list[str]]:
    """The values that a link fills in, and its faults."""
    link = Link.parse([("tab", "training"), ("form", text)])
    answer = training_target(form).answer(link)
    return {
        name: update["value"] for name, update in zip(form, answer.values, strict=True) if "value" in update
    }, link.faults


def test_the_named_fields_are_filled_in_and_the_others_stay(form: dict[str, Any]) -> None:
    text = "name:a%2C%20b%3Ac,task:sort,epochs:3,bf16:true,freeze:encoder%2Cdecoder"
    values = {"name": "a, b:c", "task": "sort", "epochs": 3.0, "bf16": True, "freeze": ["encoder", "decoder"]}
    assert filled(form, text) == (values, [])
    assert filled(form, "epochs:,bf16:false") == ({"epochs": None, "bf16": False}, [])
    assert filled(form, "") == ({}, [])


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("task:fly", "Task"),
        ("epochs:many", "Epochs"),
        ("epochs:1e99", "Epochs"),
        ("bf16:1", "Half precision"),
        ("freeze:encoder%2Cmouth", "Freeze"),
        ("name:" + "x" * 11, "Name"),
        ("colour:red", "form.colour"),
        ("<script>", "form.<script>"),
    ],
)
def test_a_fault_names_the_field_and_the_others_are_filled_in(
    form: dict[str, Any], text: str, fault: str
) -> None:
    values, faults = filled(form, f"{text},name:mine")
    assert values == {"name": "mine"}
    assert len(faults) == 1
    assert fault in faults[0]


def test_a_link_elsewhere_leaves_the_form_alone(form: dict[str, Any]) -> None:
    assert training_target(form).unchanged == [gr.skip()] * len(form)
