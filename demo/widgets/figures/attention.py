"""Cross-attention of one path as a heatmap: source across, output down, one row per step.

The probe of a training has one frame for all its evaluations, so that only the weights change.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from demo.i18n import say
from demo.i18n.display import plotly_text
from demo.widgets.figures.drawing import (
    CHARACTER_WIDTH,
    chart_layout,
    heatmap_trace,
    label_ticks,
    labelled_axis,
    overhang,
)
from demo.widgets.figures.figure import LIGHT, Figure
from models.decoding.trace import Attention, DecodingTrace
from models.training.events import ProbeDecoded

ROWS_HEIGHT = 420  # pixels of all rows together, if each row is within its bounds
MIN_ROW_HEIGHT, MAX_ROW_HEIGHT = 14, 26  # pixels of one row
MIN_COLUMN_WIDTH = 20  # pixels, at least
MAX_ASPECT = 3  # the greatest width of a cell divided by its height
MARGIN_RIGHT, MARGIN_BOTTOM = 12, 10  # pixels
MIN_ROWS, MAX_ROWS, SPARE_ROWS = 6, 64, 2  # tokens of a probe: an untrained model's output is long


@dataclass(frozen=True)
class AttentionMap:
    """The attention weights over the source for each token of a path."""

    source: tuple[str, ...]  # S labels
    output: tuple[str, ...]  # T labels
    weights: tuple[tuple[float, ...], ...]  # (T, S), each row sums to 1


def attention_map(trace: DecodingTrace, node_id: int) -> AttentionMap | None:
    """Return the attention along the path to a node, the mean over layers and heads.

    Returns None if the model has no attention. Raises KeyError for an unknown node.
    """
    path = trace.path(node_id)
    attentions = [attention for node in path if (attention := trace.row(node).attention) is not None]
    if len(attentions) < len(path):
        return None
    return AttentionMap(
        source=tuple(plotly_text(token.surface) for token in trace.source),
        output=tuple(plotly_text(node.token) for node in path),
        weights=tuple(map(mean_weights, attentions)),
    )


def mean_weights(attention: Attention) -> tuple[float, ...]:
    """Return the mean over layers and heads: (S,)."""
    heads = [head for layer in attention for head in layer]
    return tuple(sum(weights) / len(heads) for weights in zip(*heads, strict=True))


def attention_figure(attention: AttentionMap, rows: int | None = None) -> Figure:
    """Return the heatmap; its labels carry the reading direction because readers confuse the axes.

    `rows` reserves room for a path of that many steps, so that another path fits without a jump.
    """
    rows = max(rows or 0, len(attention.output))
    row_height = min(max(ROWS_HEIGHT // max(rows, 1), MIN_ROW_HEIGHT), MAX_ROW_HEIGHT)
    left = 46 + CHARACTER_WIDTH * longest(attention.output)
    bottom = max(MARGIN_BOTTOM, overhang(say("output"), "down", row_height * rows))
    columns = len(attention.source)
    top = 42 + round(0.8 * CHARACTER_WIDTH * longest(attention.source))  # its labels lean by 50 degrees
    heatmap = heatmap_trace(attention.weights, gap=1, hover=f"{looks_at()}<br>{say('weight')} %{{z:.3f}}")
    output = label_ticks(
        attention.output, title=say("output"), way="down", color=LIGHT.output, range=[rows - 0.5, -0.5]
    )
    layout = chart_layout(
        top + bottom + row_height * rows,
        (left, MARGIN_RIGHT, top, bottom),
        font_size=min(12, row_height - 3),
        meta={
            "min_width": left + MARGIN_RIGHT + MIN_COLUMN_WIDTH * columns,
            "max_width": left + MARGIN_RIGHT + MAX_ASPECT * row_height * columns,
        },
        xaxis=labels_above(attention.source, say("source")),
        yaxis=output,
    )
    return Figure([heatmap], layout)


def labels_above(labels: Sequence[str], title: str) -> dict[str, Any]:
    """Return the axis of what is read, whose labels lean by 50 degrees above the columns."""
    return labelled_axis(labels, title=title, way="right", color=LIGHT.source, side="top", tickangle=-50)


def looks_at() -> str:
    """Return the hover text of a cell, its row and its column, as a template of Plotly."""
    return say("{output} looks at {source}", output="%{y}", source="%{x}")


def longest(labels: Sequence[str]) -> int:
    """Return the number of characters of the longest of some escaped labels."""
    return max((len(html.unescape(label)) for label in labels), default=0)


def shown_rows(probes: Sequence[ProbeDecoded]) -> int:
    """Return the number of output tokens to show: a few more than the reference or the newest output."""
    if not probes:
        return MIN_ROWS
    expected = len(probes[-1].reference or probes[-1].free_running)
    most = max(len(probe.free_running) for probe in probes)
    return min(max(expected, min(most, expected + SPARE_ROWS), MIN_ROWS), MAX_ROWS)


def probe_figure(probes: Sequence[ProbeDecoded]) -> Figure | None:
    """Return the frame of a run's snapshots without weights: a script sets those of the chosen snapshot.

    Each row is as wide as its longest label needs. Returns None without snapshots, or without attention.
    """
    with_attention = [probe for probe in probes if probe.attention is not None]
    if not with_attention:
        return None
    rows = shown_rows(with_attention)
    labels = [[plotly_text(token) for token in probe.free_running[:rows]] for probe in with_attention]
    widest = tuple(max(column, key=len) for column in zip_longest(*labels, fillvalue=""))
    source = tuple(plotly_text(token) for token in with_attention[-1].source)
    return attention_figure(AttentionMap(source, widest, ()), rows)
