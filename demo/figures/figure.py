"""A chart as Plotly's script draws it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from demo.figures.palette import LIGHT

# Of every layout: the colours of the card that a chart stands on.
ON_A_CARD = {"paper_bgcolor": LIGHT.surface, "plot_bgcolor": LIGHT.surface}


@dataclass(frozen=True)
class Figure:
    """Traces and layout, as https://plotly.com/javascript/reference names what is in them.

    No `plotly.graph_objects.Figure`, which checks and copies every value: that was half of the time of an
    answer. Tests let it check each figure of ours; `graph_objects.Figure(figure.to_plotly_json())` makes one.
    """

    data: list[dict[str, Any]]
    layout: dict[str, Any]

    def to_plotly_json(self) -> dict[str, Any]:
        """For JSON; what is in it is shared with the figure."""
        return {"data": self.data, "layout": self.layout}
