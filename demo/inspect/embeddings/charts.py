"""Charts of embeddings: a map of two principal components, and the variance of each component."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from demo.i18n import say
from demo.i18n.display import percent_text, plotly_text
from demo.widgets.figures.drawing import bar_trace, chart_layout, legend_above, plain_axis, scatter_trace
from demo.widgets.figures.figure import LIGHT, Figure

if TYPE_CHECKING:
    from models.inspection.embeddings import Space

INPUT, OUTPUT, TYPED, NEAR = "read", "written", "typed", "near"  # kinds of points
COMPONENTS = 10  # principal components in the bar chart of variance
MAP_HEIGHT, BARS_HEIGHT = 420, 190  # pixels


@dataclass(frozen=True)
class Point:
    """A token or a word on the map."""

    key: str  # the value that a click chooses
    kind: str  # INPUT, OUTPUT, TYPED or NEAR
    label: str
    ids: tuple[int, ...]  # its pieces


def map_figure(space: Space, points: Sequence[Point], selected: Point, axes: tuple[int, int]) -> Figure:
    """Draw a point for each token and word on two principal components; a click selects it."""
    from models.inspection.embeddings import word_vector

    kinds = {
        NEAR: (say("near to the chosen one"), LIGHT.muted),
        INPUT: (say("source"), LIGHT.source),
        OUTPUT: (say("output"), LIGHT.output),
        TYPED: (say("your words"), LIGHT.edit),
    }
    traces = []
    for kind, (name, colour) in kinds.items():
        of_kind = [point for point in points if point.kind == kind]
        all_coordinates = [
            space.projection.project(word_vector(space.table, point.ids)).tolist() for point in of_kind
        ]
        traces.append(
            scatter_trace(
                "markers+text",
                name=name,
                showlegend=bool(of_kind),
                x=[round(coordinates[axes[0]], 4) for coordinates in all_coordinates],
                y=[round(coordinates[axes[1]], 4) for coordinates in all_coordinates],
                text=[plotly_text(point.label) for point in of_kind],
                # A typed word may lie on a token of the sentence. Its label goes below, so both stay legible.
                textposition="bottom center" if kind == TYPED else "top center",
                textfont={"size": 11, "color": colour},
                customdata=[["choose", "about", point.key] for point in of_kind],
                marker={
                    "color": colour,
                    "size": [15 if point.key == selected.key else 8 for point in of_kind],
                    "opacity": 0.85,
                    "line": {"color": LIGHT.text, "width": [2 * (point == selected) for point in of_kind]},
                },
                cliponaxis=False,
                hover="%{text}",
            )
        )
    layout = chart_layout(
        MAP_HEIGHT,
        (56, 40, 40, 48),
        min_width=320,
        hovermode="closest",
        dragmode="pan",
        legend=legend_above(itemsizing="constant"),
        xaxis=_axis(space, axes[0]),
        yaxis=_axis(space, axes[1]),
    )
    return Figure(traces, layout)


def _axis(space: Space, component: int) -> dict[str, object]:
    share = percent_text(space.projection.variance_shares[component])
    title = say("component {number}: {share} of the variance", number=component + 1, share=share)
    return plain_axis(title, nticks=6)


def variance_figure(space: Space, axes: tuple[int, int]) -> Figure:
    """Bars for the first components, those of the map in colour."""
    shares = space.projection.variance_shares[:COMPONENTS]
    numbers = list(range(1, len(shares) + 1))
    bars = bar_trace(
        x=numbers,
        y=[round(share, 5) for share in shares],
        marker={"color": [LIGHT.attention if index in axes else LIGHT.edge for index in range(len(shares))]},
        text=[percent_text(share) for share in shares],
        textposition="outside",
        cliponaxis=False,
        hoverinfo="skip",
    )
    title = {"text": say("component"), "font": {"color": LIGHT.muted, "size": 12}, "standoff": 6}
    layout = chart_layout(
        BARS_HEIGHT,
        (56, 16, 24, 44),
        min_width=320,
        font_size=11,
        xaxis={"title": title, "tickvals": numbers, "fixedrange": True},
        yaxis={"visible": False, "fixedrange": True, "range": [0, 1.25 * max(shares) or 1]},
    )
    return Figure([bars], layout)
