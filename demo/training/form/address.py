"""The fields of the training form in the page's address."""

from __future__ import annotations

import json
from collections.abc import Mapping

import gradio as gr
from gradio.components import Component

from demo.server.event_options import QUICK
from demo.training.data_preview.component import DataView

Form = Mapping[str, Component]  # keys: names in a link


def wire_address(tab: gr.Tab, form: Form, preview: DataView) -> None:
    """Give the page's script the fields that differ from the initial form, after changes."""
    initial = json.dumps([getattr(widget, "value", None) for widget in form.values()])
    script = (
        f"(...values) => {{ unrolled.gather('training', ['form'], "
        f"[unrolled.changedFields({json.dumps(list(form))}, {initial}, values)]); }}"
    )
    changes = [form[name].change for name in ("name", "preset")]  # type: ignore[attr-defined]
    for on in (tab.select, preview.gather, *changes):  # the preview notes the changes of the other fields
        on(None, list(form.values()), None, js=script, trigger_mode="multiple", **QUICK)
    tab.select(None, None, form["text"], js="() => unrolled.leftField('text')", **QUICK)
