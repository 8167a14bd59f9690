"""A link to the Training tab: the form filled in. A run is named by its secret id alone."""

from __future__ import annotations

from functools import partial
from typing import Any
from urllib.parse import unquote

import gradio as gr

from demo.links import Link
from demo.links.parameters import MAX_LINK_CHARACTERS, as_number
from demo.links.wiring import LinkAnswer, LinkTarget
from demo.training.form.wiring import Form
from demo.work.requests.checks import check_choice, check_short_text, number

MAX_NUMBER = 1e12  # largest number in a link; the form has its own bounds


def training_target(form: Form) -> LinkTarget:
    """The tab with a form. A field that the link does not name stays."""

    def answer(link: Link) -> LinkAnswer:
        values: dict[str, Any] = {}
        for field in filter(None, link.values.pop("form", "").split(",")):
            name, _, text = field.partition(":")
            if name in form:
                checked = link.attempt(partial(_value, form[name]), unquote(text))
                values |= {} if checked is None else {name: gr.update(value=checked[0])}
            else:
                link.fault_name(f"form.{name[:40]}")
        return LinkAnswer([values.get(name, gr.skip()) for name in form])

    return LinkTarget("training", list(form.values()), answer)


def _value(widget: Any, text: str) -> tuple[Any]:
    """The value of a field. Raises RequestError with the field's label."""
    label = str(widget.label)
    choices = [str(value) for _, value in getattr(widget, "choices", ())]
    if isinstance(widget, gr.Checkbox):
        check_choice(label, text, ("true", "false"))
        return (text == "true",)
    if isinstance(widget, gr.Number):
        return (number(label, as_number(text), -MAX_NUMBER, MAX_NUMBER) if text else None,)
    if isinstance(widget, gr.CheckboxGroup):
        ticked = [word for word in text.split(",") if word]
        for word in ticked:
            check_choice(label, word, choices)
        return (ticked,)
    if isinstance(widget, gr.Radio | gr.Dropdown):
        check_choice(label, text, choices)
    check_short_text(label, text, getattr(widget, "max_length", None) or MAX_LINK_CHARACTERS)
    return (text,)
