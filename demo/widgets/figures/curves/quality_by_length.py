"""Quality against source length: one line for each checkpoint measured on the same test set.

Bahdanau et al. 2015, figure 2, draw the same: a network that keeps the whole source in one vector gets worse
on long sources.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from demo.i18n import say
from demo.i18n.display import capitalize, language_name, number_text, plotly_text
from demo.widgets.figures.drawing import chart_layout, legend_above, plain_axis, scatter_trace
from demo.widgets.figures.figure import DARK, LIGHT, Figure, Palette
from models.registry.quality_by_length import LengthBin, QualityByLength

CHART_HEIGHT = 380  # pixels
MAX_NAME_CHARACTERS = 40
MAX_LABELS = 12  # labels of lengths, which must fit a phone
BAND_OPACITY = 0.15  # the band of an interval
LINE_COLOURS = ("edit", "source", "attention", "output", "text")  # fields of a palette
LINE_DASHES = ("solid", "dash", "dot")  # lines that share a colour differ by these
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x")


@dataclass(frozen=True)
class Line:
    """One checkpoint, a bin for each length of the chart."""

    name: str  # includes the strategy if the chart has several
    bins: tuple[LengthBin, ...]


@dataclass(frozen=True)
class QualityChart:
    """The checkpoints that can be compared in one chart."""

    title: str  # the task, such as the two languages
    metric: str
    unit: str  # unit of lengths
    strategy: str  # "" where the lines have different ones
    intervals: str  # the kind of intervals, in words
    lines: tuple[Line, ...]  # one or more

    @property
    def spans(self) -> tuple[str, ...]:
        """The lengths of each bin, "4" or "11–12"."""
        return tuple(span(bin) for bin in self.lines[0].bins)


def span(lengths: LengthBin) -> str:
    """Return the lengths of a bin as text."""
    first, last = lengths.first, lengths.last
    return str(first) if first == last else f"{first}–{last}"


def value_text(value: float, metric: str) -> str:
    """Return a score with one decimal; every metric but BLEU is a percentage."""
    return number_text(value, 1) + ("" if metric == "BLEU" else "%")


def interval_text(lengths: LengthBin) -> str:
    """Return the interval of a score as text."""
    return say("{first} to {last}", first=number_text(lengths.low, 1), last=number_text(lengths.high, 1))


def _intervals(group: list[QualityByLength]) -> str:
    """Name the kind of intervals; only "95% intervals" where measurements of one chart differ."""
    result = {quality.resamples for quality in group}
    (resamples,) = result if len(result) == 1 else (None,)
    if resamples is None:
        return say("95% intervals")
    if resamples == 0:
        return say("95% intervals by Wilson's formula (1927)")
    return say(
        "95% intervals of {count} test sets drawn again from these sources (bootstrap)",
        count=f"{resamples:,}",
    )


def quality_charts(qualities: Iterable[QualityByLength]) -> tuple[QualityChart, ...]:
    """Return a chart for each test set, those with most lines first; lines keep their order."""
    groups: dict[object, list[QualityByLength]] = {}
    for quality in qualities:
        groups.setdefault(quality.same_test, []).append(quality)
    return tuple(_chart(group) for group in sorted(groups.values(), key=len, reverse=True))


def _chart(group: list[QualityByLength]) -> QualityChart:
    first = group[0]
    alike = len({quality.strategy for quality in group}) == 1
    names = (
        quality.checkpoint if alike else f"{quality.checkpoint}, {quality.strategy}" for quality in group
    )
    languages = first.source_language, first.target_language
    title = say(first.task.capitalize())
    if all(languages):
        one, other = map(language_name, languages)
        title = say("{one} to {other}", one=one, other=other)
    return QualityChart(
        title=capitalize(title),  # not every language capitalizes its name
        metric=first.metric,
        unit=first.unit,
        strategy=first.strategy if alike else "",
        intervals=_intervals(group),
        lines=tuple(Line(name, quality.bins) for name, quality in zip(names, group, strict=True)),
    )


def line_style(index: int) -> tuple[str, str, str]:
    """Return the palette's name of the colour, the dash and the marker of a line."""
    turn, position = divmod(index, len(LINE_COLOURS))
    return LINE_COLOURS[position], LINE_DASHES[turn % len(LINE_DASHES)], SYMBOLS[position]


def band_colour(palette: Palette, name: str) -> str:
    """Return a colour of the palette as the fill of an interval."""
    red, green, blue = bytes.fromhex(getattr(palette, name)[1:])
    return f"rgba({red}, {green}, {blue}, {BAND_OPACITY})"


def dark_bands() -> dict[str, str]:
    """Return the dark page's fill for each fill of a figure drawn for a light page."""
    return {band_colour(LIGHT, name): band_colour(DARK, name) for name in LINE_COLOURS}


def quality_figure(chart: QualityChart) -> Figure:
    """Return the intervals, then one line for each checkpoint over evenly spaced bins."""
    bands = [_band(line, index) for index, line in enumerate(chart.lines)]
    lines = [_line(chart, line, index) for index, line in enumerate(chart.lines)]
    return Figure([*bands, *lines], _layout(chart))


def _band(line: Line, index: int) -> dict[str, Any]:
    """Return the outline of the intervals: forward along the upper ends, back along the lower ones."""
    positions = list(range(len(line.bins)))
    return scatter_trace(
        "lines",
        x=[*positions, *reversed(positions)],
        y=[*(bin.high for bin in line.bins), *(bin.low for bin in reversed(line.bins))],
        fill="toself",
        fillcolor=band_colour(LIGHT, line_style(index)[0]),
        line={"width": 0},
        hoverinfo="skip",
        showlegend=False,
    )


def _line(chart: QualityChart, line: Line, index: int) -> dict[str, Any]:
    name, (colour, dash, symbol) = plotly_text(line.name, MAX_NAME_CHARACTERS), line_style(index)
    return scatter_trace(
        "lines+markers",
        name=name,
        x=list(range(len(line.bins))),
        y=[bin.value for bin in line.bins],
        text=[
            f"{name}<br>{span(bin)} {say(chart.unit)}"
            f": {say(chart.metric)} {value_text(bin.value, chart.metric)}"
            f"<br>{say('95% interval')} {interval_text(bin)}"
            f"<br>{say('{count} sources', count=f'{bin.sources:,}')}"
            for bin in line.bins
        ],
        hover="%{text}",
        line={"color": getattr(LIGHT, colour), "width": 2.5, "dash": dash},
        marker={"color": getattr(LIGHT, colour), "size": 8, "symbol": symbol},
        cliponaxis=False,
    )


def _label(lengths: str) -> str:
    """Return the lengths, in two lines if one is too wide for a phone."""
    return lengths.replace("–", "–<br>") if len(lengths) > 3 else lengths


def _layout(chart: QualityChart) -> dict[str, Any]:
    highest = max(bin.high for line in chart.lines for bin in line.bins)
    stride = -(-len(chart.spans) // MAX_LABELS)
    labelled = range((len(chart.spans) - 1) % stride, len(chart.spans), stride)  # the last one always
    percent = chart.metric != "BLEU"
    return chart_layout(
        CHART_HEIGHT,
        (52, 16, 14, 66),
        font_size=13,
        showlegend=True,  # a single line has its name nowhere else
        legend=legend_above(),
        dragmode=False,
        xaxis={
            **plain_axis(
                say("length of the source, {unit}", unit=say(chart.unit)),
                "right",
                size=13,
                standoff=10,
                ticks=(list(labelled), [_label(chart.spans[index]) for index in labelled]),
                tickangle=0,
                tickfont={"size": 12},
                tickcolor=LIGHT.grid,
                range=[-0.4, len(chart.spans) - 0.6],
                showgrid=False,
            ),
            "ticks": "outside",
        },
        yaxis=plain_axis(
            f"{say(chart.metric)}{', %' if percent else ''}",
            "up",
            size=13,
            standoff=6,
            tickfont={"size": 13},
            range=[0, max(1.0, 104.0 if percent else 1.04 * highest)],
            nticks=6,
        ),
    )
