"""Plotly's check of a figure, and ours: the arrow of an axis title points along its axis."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import plotly.graph_objects as go

from demo.widgets.figures.figure import Figure

ARROWS = "←↑→↓"


def checked(figure: Figure) -> go.Figure:
    """The same as a graph object. Raises ValueError for what Plotly does not know."""
    for name, axis in figure.layout.items():
        if name.startswith(("xaxis", "yaxis")):
            text = axis.get("title", {}).get("text", "")
            assert points_along(text, axis, upright=name.startswith("yaxis")), (name, text)
    return go.Figure(figure.to_plotly_json())


def points_along(title: str, axis: Mapping[str, Any], *, upright: bool) -> bool:
    """Whether the arrow, if there is one, shows on the screen where the numbers of the axis grow.

    Plotly turns the title of an upright axis by 90 degrees to the left: there → points up and ← points down.
    """
    arrows = [character for character in title if character in ARROWS]
    if not arrows:
        return True
    forward = not grows_backwards(axis)
    if upright:
        return title.endswith(" →") if forward else title.startswith("← ") and arrows == ["←"]
    return forward and title.endswith(" →") and arrows == ["→"]


def grows_backwards(axis: Mapping[str, Any]) -> bool:
    """Whether the numbers on the labels grow from the right to the left, or from the top to the bottom."""
    low, high = axis.get("range") or (0, 1)
    turned = low > high or axis.get("autorange") == "reversed"
    numbers: list[float] = []
    with contextlib.suppress(ValueError):  # words
        numbers = [float(text.replace("−", "-")) for text in axis.get("ticktext", ())]
    falling = len(numbers) > 1 and all(second < first for first, second in pairwise(numbers))
    return bool(turned != falling)
