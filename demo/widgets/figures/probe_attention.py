"""The probe's attention in one frame for all evaluations, so that only the weights change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from demo.i18n.display import plotly_text
from demo.widgets.figures.attention import AttentionMap, attention_figure
from demo.widgets.figures.drawing.figure import Figure
from models.training.events import ProbeDecoded

MIN_ROWS, MAX_ROWS, SPARE_ROWS = 6, 64, 2  # an untrained model's output is long and meaningless


@dataclass(frozen=True)
class ProbeFrame:
    """The axes that all snapshots of a probe share."""

    source: tuple[str, ...]  # S labels
    widest: tuple[str, ...]  # the longest label of each row over all snapshots
    rows: int  # the largest number of output tokens in a snapshot


def shown_rows(probes: Sequence[ProbeDecoded]) -> int:
    """Return the number of output tokens to show: a few more than the reference or the newest output."""
    if not probes:
        return MIN_ROWS
    expected = len(probes[-1].reference or probes[-1].free_running)
    longest = max(len(probe.free_running) for probe in probes)
    return min(max(expected, min(longest, expected + SPARE_ROWS), MIN_ROWS), MAX_ROWS)


def probe_frame(probes: Sequence[ProbeDecoded]) -> ProbeFrame | None:
    """Return the frame of a run's snapshots; None without snapshots, or without attention."""
    with_attention = [probe for probe in probes if probe.attention is not None]
    if not with_attention:
        return None
    rows = shown_rows(with_attention)
    labels = [[plotly_text(token) for token in probe.free_running[:rows]] for probe in with_attention]
    widest = tuple(max(column, key=len) for column in zip_longest(*labels, fillvalue=""))
    return ProbeFrame(tuple(plotly_text(token) for token in with_attention[-1].source), widest, rows)


def probe_figure(frame: ProbeFrame) -> Figure:
    """Return an attention heatmap without weights: a script sets those of the chosen snapshot."""
    return attention_figure(AttentionMap(frame.source, frame.widest, ()), frame.rows)
