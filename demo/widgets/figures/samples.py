"""Charts of samples: a cloud by length and probability, and a heatmap of minimum Bayes risk."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from demo.i18n import in_page, say
from demo.i18n.display import number_text, percent_text
from demo.widgets.figures.drawing import Way, chart_layout, heatmap_trace, note, plain_axis, scatter_trace
from demo.widgets.figures.figure import LIGHT, Figure
from demo.widgets.figures.trace_figure import HideablePart, TraceFigure, drawing
from models.decoding.strategies import description_of
from models.decoding.trace import DecodingTrace

CHART_HEIGHT = 320  # pixels
AXIS_PADDING = 0.12  # share of an axis beyond its outermost points
MIN_DIAMETER, MAX_DIAMETER = 9.0, 30.0  # diameter of a point, pixels
METRIC_NAMES = {"chrf": "chrF", "bleu": "BLEU"}
CELL_SIZE = 26  # pixels, while the whole is at most MAX_SIZE
MAX_SIZE = 460  # pixels
MAX_NUMBERS = 12  # samples up to which each cell carries its number
SAMPLES = HideablePart("samples", in_page("charts of the samples"))


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
    lengths, log_probs = zip(*((point.length, point.log_prob) for point in cloud.points), strict=True)
    span = max(lengths) - min(lengths)
    points = scatter_trace(
        "markers",
        x=list(lengths),
        y=[round(log_prob, 3) for log_prob in log_probs],
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
        dragmode="pan",
        xaxis=_range_axis(lengths, say("length in tokens"), "right", dtick=max(1, math.ceil(span / 10))),
        yaxis=_range_axis(log_probs, say("log-probability, nats"), "up", nticks=8),
    )
    return Figure([points], layout)


def diameter(count: int, samples: int) -> float:
    """Return the diameter of a point drawn `count` times out of `samples`; its area grows with its share."""
    share = (count - 1) / max(samples - 1, 1)
    return round(math.sqrt(MIN_DIAMETER**2 + share * (MAX_DIAMETER**2 - MIN_DIAMETER**2)), 1)


def _range_axis(values: Sequence[float], title: str, way: Way, **ticks: Any) -> dict[str, Any]:
    low, high = min(values), max(values)
    room = max(AXIS_PADDING * (high - low), 0.6)
    return plain_axis(title, way, **ticks, range=[low - room, high + room])


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


CLOUD = TraceFigure(
    name="cloud",
    title="Samples",
    label="Samples by length and log-probability; the list of hypotheses shows the same data as buttons",
    called=in_page("cloud"),
    part=SAMPLES,
    draw=drawing(sample_cloud, sample_cloud_figure),
    caption=cloud_caption,
    position=80,
)


@dataclass(frozen=True)
class UtilityMap:
    """How each sample scores against each as its reference, in the order of their expected utility."""

    metric: str  # the usual spelling of the metric
    signature: str  # sacrebleu's
    matrix: tuple[tuple[float, ...], ...]  # (N, N), 0 to 100; row: sample, column: pseudo-reference
    expected: tuple[float, ...]  # N, mean of each row


def utility_map(trace: DecodingTrace) -> UtilityMap | None:
    """Return the utilities of a trace; None if it was not decoded by minimum Bayes risk."""
    if trace.utilities is None:
        return None
    matrix = trace.utilities.matrix
    return UtilityMap(
        metric=METRIC_NAMES[trace.utilities.metric],
        signature=trace.utilities.signature,
        matrix=matrix,
        expected=tuple(sum(row) / len(row) for row in matrix),
    )


def utility_matrix_figure(utilities: UtilityMap) -> Figure:
    """Return the heatmap; sample numbers are ranks in the list of hypotheses, from 1."""
    count = len(utilities.matrix)
    cell = max(min(CELL_SIZE if count > MAX_NUMBERS else 34, MAX_SIZE // count), 4)
    heatmap = heatmap_trace(
        [[round(value, 1) for value in row] for row in utilities.matrix],
        (0, 100),
        gap=1,
        hovertemplate=say("sample {one} against {other}", one="%{y}", other="%{x}")
        + f"<br>{utilities.metric} %{{z:.1f}}<extra></extra>",
    )
    if count <= MAX_NUMBERS:
        heatmap |= {"texttemplate": "%{z:.0f}", "textfont": {"size": 11}}
    left, right, top, bottom = 64, 84, 52, 12
    layout = chart_layout(
        top + bottom + cell * count,
        (left, right, top, bottom),
        min_width=left + right + cell * count,
        xaxis={**_sample_axis(count, say("as if this were the reference"), "right"), "side": "top"},
        yaxis={**_sample_axis(count, say("sample"), "down"), "autorange": "reversed"},
        annotations=_mean_annotations(utilities) if count <= MAX_SIZE // 14 else [],
    )
    return Figure([heatmap], layout)


def _sample_axis(count: int, title: str, way: Way) -> dict[str, object]:
    indices = range(0, count, max(1, count // 20))
    return plain_axis(
        title,
        way,
        standoff=6,
        ticks=(list(indices), [str(index + 1) for index in indices]),
        range=[-0.5, count - 0.5],
        showgrid=False,
        fixedrange=True,
    )


def _mean_annotations(utilities: UtilityMap) -> list[dict[str, object]]:
    """Return the annotations with each row's mean, to its right."""
    heading = note(say("expected"), 1, 1, "left bottom", paper="xy", xshift=8, yshift=6)
    means = enumerate(number_text(mean, 1) for mean in utilities.expected)
    return [heading, *(note(mean, 1, index, "left", paper="x", xshift=8) for index, mean in means)]


def utilities_caption(trace: DecodingTrace) -> str:
    """Say whether the sample that the others agree with is also the most probable one."""
    utilities = utility_map(trace)
    if utilities is None:
        return ""
    likeliest = max(range(len(trace.hypotheses)), key=lambda index: trace.hypotheses[index].log_prob)
    same = trace.hypotheses[likeliest].token_ids == trace.hypotheses[0].token_ids
    other = number_text(utilities.expected[likeliest], 1)
    verdict = say("it is also the most probable sample")
    if not same:
        verdict = say("the most probable one, number {rank}, has {value}", rank=likeliest + 1, value=other)
    return say(
        "The first sample agrees most with the others, expected {metric} {value}; {verdict}. "
        "Measured by sacrebleu, {signature}.",
        metric=utilities.metric,
        value=number_text(utilities.expected[0], 1),
        verdict=verdict,
        signature=utilities.signature,
    )


UTILITIES = TraceFigure(
    name="utilities",
    title="Agreement of the samples",
    label="Utility of each sample as if another were the reference",
    called=in_page("utilities"),
    part=SAMPLES,
    draw=drawing(utility_map, utility_matrix_figure),
    caption=utilities_caption,
    position=90,
)
