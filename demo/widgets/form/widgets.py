"""The two kinds of widget that most settings have."""

from __future__ import annotations

from collections.abc import Sequence

import gradio as gr

Choices = list[tuple[str, str]]  # label, value in a request


def slider(
    label: str, info: str, scale: tuple[float, float, float], value: float, classes: Sequence[str] = ()
) -> gr.Slider:
    """A slider; `scale` is its minimum, its maximum and its step."""
    low, high, step = scale
    return gr.Slider(
        low,
        high,
        value=value,
        step=step,
        label=label,
        info=info,
        elem_classes=list(classes),
        min_width=120,
        buttons=[],
    )


def segments(
    label: str,
    info: str,
    choices: Choices,
    value: str,
    classes: Sequence[str] = (),
    elem_id: str | None = None,
) -> gr.Radio:
    """A choice of few options, drawn as segments side by side."""
    return gr.Radio(
        choices,
        value=value,
        label=label,
        info=info,
        elem_id=elem_id,
        elem_classes=["segmented", *classes],
        min_width=120,
    )
