"""Plotly's own check of a figure: each property must exist, and its value must fit."""

from __future__ import annotations

import plotly.graph_objects as go

from demo.figures.figure import Figure


def checked(figure: Figure) -> go.Figure:
    """The same as a graph object. Raises ValueError for what Plotly does not know."""
    return go.Figure(figure.to_plotly_json())
