"""Samples as a cloud: the length, probability and number of draws of each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from demo.i18n import in_page, say
from demo.i18n.display import percent_text
from demo.widgets.figures.drawing.axis_title import axis_title
from demo.widgets.figures.drawing.builders import chart_layout, plain_axis, scatter_trace
from demo.widgets.figures.drawing.figure import Figure
from demo.widgets.figures.drawing.palette import LIGHT
from demo.widgets.figures.trace_figure import HideablePart, TraceFigure, drawing
from models.decoding.strategies import description_of
from models.decoding.trace import DecodingTrace

CHART_HEIGHT = 320  # pixels
AXIS_PADDING = 0.12  # share of an axis beyond its outermost points
MIN_DIAMETER, MAX_DIAMETER = 9.0, 30.0  # diameter of a point, pixels


@dataclass(frozen=True)
class CloudPoint:
    """One different output."""

    hypotheses: tuple[int, ...]  # indices of the samples that are this output
    length: int  # tokens, the end token included
    log_prob: float  # nats

    @property
    def count(self) -> int:
        """The number of times that it was drawn."""
        return len(self.hypotheses)


@dataclass(frozen=True)
class SampleCloud:
    """All samples of a trace."""

    points: tuple[CloudPoint, ...]  # points in the order of their first sample
    samples: int
    mass: float  # total probability of all different outputs


def sample_cloud(trace: DecodingTrace) -> SampleCloud | None:
    """Return the cloud of a trace; None if its strategy draws no samples."""
    if not description_of(trace.strategy).draws or not trace.hypotheses:
        return None
    indices_by_output: dict[tuple[int, ...], list[int]] = {}
    for index, hypothesis in enumerate(trace.hypotheses):
        indices_by_output.setdefault(hypothesis.token_ids, []).append(index)
    points = tuple(
        CloudPoint(tuple(indices), len(token_ids), trace.hypotheses[indices[0]].log_prob)
        for token_ids, indices in indices_by_output.items()
    )
    mass = math.fsum(math.exp(point.log_prob) for point in points)
    return SampleCloud(points, len(trace.hypotheses), mass)


def sample_cloud_figure(cloud: SampleCloud) -> Figure:
    """Return the cloud without hover texts; `customdata` of a point is its first hypothesis."""
    points = scatter_trace(
        "markers",
        x=[point.length for point in cloud.points],
        y=[round(point.log_prob, 3) for point in cloud.points],
        customdata=[point.hypotheses[0] for point in cloud.points],
        marker={
            "size": [diameter(point.count, cloud.samples) for point in cloud.points],
            "color": LIGHT.output,
            "opacity": 0.55,
            "line": {"color": LIGHT.surface, "width": 1.5},
        },
        cliponaxis=False,
        hover="%{hovertext}",
    )
    layout = chart_layout(
        CHART_HEIGHT,
        (64, 20, 16, 48),
        min_width=300,
        showlegend=False,
        hovermode="closest",
        dragmode="pan",
        xaxis={
            **_axis([point.length for point in cloud.points], whole_numbers=True),
            "title": axis_title(say("length in tokens"), "right"),
        },
        yaxis={
            **_axis([point.log_prob for point in cloud.points]),
            "title": axis_title(say("log-probability, nats"), "up"),
        },
    )
    return Figure([points], layout)


def diameter(count: int, samples: int) -> float:
    """Return the diameter of a point drawn `count` times out of `samples`; its area grows with its share."""
    share = (count - 1) / max(samples - 1, 1)
    return round(math.sqrt(MIN_DIAMETER**2 + share * (MAX_DIAMETER**2 - MIN_DIAMETER**2)), 1)


def _axis(values: list[int] | list[float], whole_numbers: bool = False) -> dict[str, Any]:
    low, high = min(values), max(values)
    room = max(AXIS_PADDING * (high - low), 0.6)
    ticks: dict[str, Any] = (
        {"dtick": max(1, math.ceil((high - low) / 10))} if whole_numbers else {"nticks": 8}
    )
    return plain_axis(**ticks, range=[low - room, high + room])


def cloud_caption(trace: DecodingTrace) -> str:
    """Say how different the samples are, and how much of the model's probability they cover."""
    cloud = sample_cloud(trace)
    if cloud is None:
        return ""
    best = max(cloud.points, key=lambda point: point.log_prob)
    return say(
        "Samples: {count}, different ones: {different}; together the different ones hold {share} "
        "of the model's "
        "probability, the most probable alone {best}.",
        count=cloud.samples,
        different=len(cloud.points),
        share=percent_text(min(cloud.mass, 1.0)),
        best=percent_text(math.exp(best.log_prob)),
    )


SAMPLES = HideablePart("samples", in_page("charts of the samples"))
FIGURE = TraceFigure(
    name="cloud",
    title="Samples",
    label="Samples by length and log-probability; the list of hypotheses shows the same data as buttons",
    called=in_page("cloud"),
    part=SAMPLES,
    draw=drawing(sample_cloud, sample_cloud_figure),
    caption=cloud_caption,
    position=80,
)
