"""The utilities of minimum Bayes risk as a heatmap: each sample scored against each as its reference."""

from __future__ import annotations

from dataclasses import dataclass

from demo.i18n import in_page, say
from demo.i18n.display import number_text
from demo.widgets.figures.drawing.axis_title import Way, axis_title
from demo.widgets.figures.drawing.builders import chart_layout, heatmap_trace, plain_axis
from demo.widgets.figures.drawing.figure import Figure
from demo.widgets.figures.drawing.palette import LIGHT, attention_ramp
from demo.widgets.figures.sample_cloud import SAMPLES
from demo.widgets.figures.trace_figure import TraceFigure, drawing
from models.decoding.trace import DecodingTrace

METRIC_NAMES = {"chrf": "chrF", "bleu": "BLEU"}
CELL_SIZE = 26  # pixels, while the whole is at most MAX_SIZE
MAX_SIZE = 460  # pixels
MAX_NUMBERS = 12  # samples up to which each cell carries its number


@dataclass(frozen=True)
class UtilityMap:
    """The data of the heatmap, samples in the order of their expected utility."""

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
    rounded = [[round(value, 1) for value in row] for row in utilities.matrix]
    heatmap = heatmap_trace(
        rounded,
        gap=1,
        zmin=0,
        zmax=100,
        colorscale=attention_ramp(LIGHT),
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
        xaxis={**_axis(count, say("as if this were the reference"), "right"), "side": "top"},
        yaxis={**_axis(count, say("sample"), "down"), "autorange": "reversed"},
        annotations=_mean_annotations(utilities) if count <= MAX_SIZE // 14 else [],
    )
    return Figure([heatmap], layout)


def _axis(count: int, title: str, way: Way) -> dict[str, object]:
    every = max(1, count // 20)
    return plain_axis(
        ticks=(list(range(0, count, every)), [str(index + 1) for index in range(0, count, every)]),
        title=axis_title(title, way, standoff=6),
        range=[-0.5, count - 0.5],
        showgrid=False,
        fixedrange=True,
    )


def _mean_annotations(utilities: UtilityMap) -> list[dict[str, object]]:
    """Return the annotations with each row's mean, to its right."""
    anchor = {"xref": "paper", "x": 1, "xanchor": "left", "xshift": 8, "showarrow": False}
    means = [
        {**anchor, "y": index, "text": number_text(mean, 1)} for index, mean in enumerate(utilities.expected)
    ]
    heading = {**anchor, "yref": "paper", "y": 1, "yanchor": "bottom", "yshift": 6, "text": say("expected")}
    return [heading, *means]


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


FIGURE = TraceFigure(
    name="utilities",
    title="Agreement of the samples",
    label="Utility of each sample as if another were the reference",
    called=in_page("utilities"),
    part=SAMPLES,
    draw=drawing(utility_map, utility_matrix_figure),
    caption=utilities_caption,
    position=90,
)
