"""A chart as Plotly's script draws it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from demo.widgets.figures.drawing.palette import LIGHT

MIN_WIDTH = 280  # pixels; a narrower place scrolls
# Every layout without colours of its own has those of the card below the chart; see `_axis`, too.
ON_A_CARD = {"paper_bgcolor": LIGHT.surface, "plot_bgcolor": LIGHT.surface}


@dataclass(frozen=True)
class Figure:
    """Traces and layout, with the field names of https://plotly.com/javascript/reference.

    No `plotly.graph_objects.Figure`, which checks and copies every value: that was half of the time of an
    answer. Tests let it check each figure of ours; `graph_objects.Figure(figure.to_plotly_json())` makes one.
    The layout's `meta` is what our scripts want to know: the `min_width` and `max_width` of the chart in
    pixels, and whatever else a figure's own script reads there.
    """

    data: list[dict[str, Any]]
    layout: dict[str, Any]

    def __post_init__(self) -> None:
        meta = {"min_width": MIN_WIDTH, **self.layout.get("meta", {})}
        axes = {
            name: _axis(axis) for name, axis in self.layout.items() if name.startswith(("xaxis", "yaxis"))
        }
        object.__setattr__(self, "layout", {**ON_A_CARD, **self.layout, **axes, "meta": meta})

    def to_plotly_json(self) -> dict[str, Any]:
        """Return the figure as JSON-ready data, which is shared and not copied."""
        return {"data": self.data, "layout": self.layout}


def _axis(axis: dict[str, Any]) -> dict[str, Any]:
    """Return an axis with our colours for its grid and its labels where it shows them and sets no colours."""
    if not axis.get("visible", True):
        return axis
    grid = {"gridcolor": LIGHT.grid} if axis.get("showgrid", True) else {}
    labelled = axis.get("showticklabels", True)
    labels = {"tickfont": {"color": LIGHT.muted, **axis.get("tickfont", {})}} if labelled else {}
    return {**grid, **axis, **labels}
