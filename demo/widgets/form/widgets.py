"""The two kinds of widget that most settings have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gradio as gr

Choices = list[tuple[str, str]]  # label, value in a request


def slider(
    label: str, info: str, scale: tuple[float, float, float], value: float, classes: Sequence[str] = ()
) -> gr.Slider:
    """A slider; `scale` is its minimum, its maximum and its step."""
    low, high, step = scale
    return gr.Slider(low, high, value=value, step=step, buttons=[], **_properties(label, info, classes))


def segments(
    label: str,
    info: str,
    choices: Choices,
    value: str,
    classes: Sequence[str] = (),
    elem_id: str | None = None,
) -> gr.Radio:
    """A choice of few options, drawn as segments side by side."""
    properties = _properties(label, info, ["segmented", *classes])
    return gr.Radio(choices, value=value, elem_id=elem_id, **properties)


def _properties(label: str, info: str, classes: Sequence[str]) -> dict[str, Any]:
    return {"label": label, "info": info, "elem_classes": list(classes), "min_width": 120}
