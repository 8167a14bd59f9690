"""Charts of recurrent values and of gradients over steps, source and output with a line between them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any

from demo.i18n import say
from demo.i18n.display import number_text, plotly_text, short_text
from demo.widgets.figures import drawing
from demo.widgets.figures.figure import LIGHT, Figure

ROW, MIN_COLUMN = 15, 26  # pixels
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 88, 12  # pixels around the cells
LINE_CHART_HEIGHT = 230  # pixels of a line chart
LABEL_CHARACTERS = 10  # characters of a token
LINE_STYLES = (
    {"color": LIGHT.text, "width": 3},
    {"color": LIGHT.attention, "width": 2},
    {"color": LIGHT.output, "width": 2, "dash": "6px,3px"},
    {"color": LIGHT.source, "width": 2, "dash": "2px,3px"},
    {"color": LIGHT.edit, "width": 2, "dash": "9px,3px,2px,3px"},
)

NORM_CHART_HEIGHT, NORM_LEFT, NORM_BOTTOM = 300, 72, 56  # pixels of the plot of norms and around it
NORM_RANGE_FACTOR = 1.6  # times the largest and the smallest norm, beyond them
LINE_DASHES = ("5px,3px", "2px,3px", "9px,3px,2px,3px", "12px,4px")


@dataclass(frozen=True)
class StepAxis:
    """The horizontal axis: the tokens of the source, then those of the output."""

    source: Sequence[str]  # S labels, unescaped; empty without recurrent encoder
    output: Sequence[str]  # T labels
    step: int  # the current step, of the output

    @property
    def labels(self) -> list[str]:
        """All labels, escaped for Plotly."""
        return [plotly_text(label, LABEL_CHARACTERS) for label in (*self.source, *self.output)]

    @property
    def marks(self) -> list[Any]:
        """The effect of a click on each token: none in the source, a step in the output."""
        return [*([] for _ in self.source), *(["step", step] for step in range(len(self.output)))]

    def axis(self) -> dict[str, Any]:
        """Plotly's axis, with labels above."""
        return drawing.labelled_axis(self.labels, tickangle=-50, side="top")

    def shapes(self) -> list[dict[str, Any]]:
        """The line between source and output, and a frame around the current step."""
        edge = len(self.source) - 0.5
        shapes: list[dict[str, Any]] = []
        if self.source:
            shapes.append(drawing.upright_line(edge, LIGHT.text, dash="4px,3px", width=1.5))
        if self.step < len(self.output):
            left = edge + self.step
            box = {"type": "rect", "x0": left, "x1": left + 1, "yref": "paper", "y0": 0, "y1": 1}
            shapes.append({**box, "line": {"color": LIGHT.text, "width": 2}})
        return shapes

    def titles(self) -> list[dict[str, Any]]:
        """Titles of source and output, above the labels."""
        sides = [(drawing.with_arrow(say("output"), "right"), LIGHT.output, len(self.source) - 0.5)]
        if self.source:
            sides.insert(0, (drawing.with_arrow(say("source"), "right"), LIGHT.source, -0.5))
        return [
            drawing.note(text, x, 1, "left", paper="y", xref="x", yshift=TOP - 16, font={"color": color})
            for text, color, x in sides
        ]


def units_figure(
    steps: StepAxis,
    rows: Sequence[tuple[int, Sequence[float]]],
    backward: Sequence[int],
    selected: int,
    *,
    gate: bool,
) -> Figure:
    """A heatmap of units: a number and a value for each step. A click selects the unit.

    backward: numbers of units that read the source from its end. selected: number of the unit in
    the other chart.
    """
    most = max((abs(value) for _, row in rows for value in row), default=1.0) or 1.0
    numbers = [number for number, _ in rows]
    heatmap = drawing.heatmap_trace(
        [[round(value, 3) for value in row] for _, row in rows],
        (0, 1) if gate else (-most, most),
        x=list(range(len(steps.labels))),
        y=list(range(len(rows))),
        colors=drawing.RAMP if gate else drawing.SIGNED,
        colorbar={"thickness": 10, "len": 1, "outlinewidth": 0, "tickfont": {"color": LIGHT.muted}},
        gap=1,
        text=[
            [_unit_hover(steps, number, number in backward, index) for index in range(len(row))]
            for number, row in rows
        ],
        hover="%{text}<br>%{z:.3f}",
        customdata=[[["choose", "unit", number] for _ in row] for number, row in rows],
    )
    ticks = [f"<b>▸ {number}</b>" if number == selected else str(number) for number in numbers]
    layout = {
        **_layout(steps, TOP + BOTTOM + ROW * max(len(rows), 1)),
        "yaxis": drawing.labelled_axis(
            ticks, down=True, tickfont={"size": 10}, title=say("unit"), standoff=4
        ),
    }
    return Figure([heatmap], layout)


def unit_figure(steps: StepAxis, lines: Sequence[tuple[str, Sequence[float]]]) -> Figure:
    """One unit: a line for each of its states and gates, by title, with a value for each step."""
    edge = len(steps.source)
    traces = []
    for (title, values), style in zip(lines, cycle(LINE_STYLES), strict=False):
        for part in (slice(0, edge), slice(edge, None)):
            traces.append(
                drawing.scatter_trace(
                    "lines+markers",
                    name=title,
                    legendgroup=title,
                    showlegend=part.start == edge,
                    x=list(range(len(values)))[part],
                    y=[round(value, 4) for value in values][part],
                    text=steps.labels[part],
                    customdata=steps.marks[part],
                    hover=f"%{{text}}<br>{title} %{{y:.3f}}",
                    line=style,
                    marker={"size": 5, "color": style["color"]},
                )
            )
    layout = {
        **_layout(steps, TOP + 40 + LINE_CHART_HEIGHT, bottom=40),
        "legend": _legend_below(-0.05),
        "hovermode": "closest",
        "yaxis": {"zerolinecolor": LIGHT.muted, "fixedrange": True},
    }
    return Figure(traces, layout)


def _layout(steps: StepAxis, height: int, bottom: int = BOTTOM) -> dict[str, Any]:
    return drawing.chart_layout(
        height,
        (LEFT, RIGHT, TOP, bottom),
        min_width=LEFT + RIGHT + 60 + MIN_COLUMN * len(steps.labels),
        xaxis=steps.axis(),
        shapes=steps.shapes(),
        annotations=steps.titles(),
    )


def _legend_below(y: float) -> dict[str, Any]:
    return drawing.legend_above(y, yanchor="top", font={"color": LIGHT.muted})


def _unit_hover(steps: StepAxis, number: int, backward: bool, index: int) -> str:
    text = say("unit {number} at {token}", number=number_text(number, 0), token=steps.labels[index])
    if backward and index < len(steps.source):
        text = f"{text}<br>{say('reads the source from its end')}"
    return text


@dataclass(frozen=True)
class NormCurve:
    """The norm of the state after each token, for one network or for one direction of its encoder."""

    name: str
    source: Sequence[float]  # S norms, in the order of the text; empty if the encoder is not recurrent
    output: Sequence[float]  # T norms, up to the explained token; empty for a backward direction
    is_current: bool = True  # whether it belongs to the open checkpoint
    backward: bool = False  # True: of the direction that reads the source from its end


def norms_figure(
    steps: StepAxis, curves: Sequence[NormCurve], clipped: NormCurve, threshold: float
) -> Figure:
    """The curves, the clipped curve, and the threshold as a horizontal line.

    Curves of networks with other tokens are aligned at the line between source and output.
    """
    dashes = cycle(LINE_DASHES)
    traces = [trace for curve in curves for trace in _norm_lines(steps, curve, _norm_style(curve, dashes))]
    traces += _norm_lines(steps, clipped, {"color": LIGHT.edit, "width": 2, "dash": "3px,3px"})
    positions = [x for trace in traces for x in trace["x"]]
    norms = [threshold, *(norm for trace in traces for norm in trace["y"] if norm)]
    low, high = min(norms) / NORM_RANGE_FACTOR, max(norms) * NORM_RANGE_FACTOR
    ticks = drawing.log_ticks(low, high)
    layout = drawing.chart_layout(
        TOP + NORM_CHART_HEIGHT + NORM_BOTTOM,
        (NORM_LEFT, RIGHT, TOP, NORM_BOTTOM),
        min_width=NORM_LEFT + RIGHT + MIN_COLUMN * len(steps.labels),
        hovermode="closest",
        legend=_legend_below(-0.04),
        xaxis={
            **steps.axis(),
            "range": [min([0, *positions]) - 0.5, max([len(steps.labels) - 1, *positions]) + 0.5],
        },
        yaxis=drawing.plain_axis(
            say("norm of the gradient"),
            "up",
            ticks=(ticks, [short_text(tick, 6) for tick in ticks]),
            type="log",
            range=[math.log10(low), math.log10(high)],
            fixedrange=True,
        ),
        shapes=[*steps.shapes(), drawing.level_line(threshold, color=LIGHT.edit, dash="solid", width=1.5)],
        annotations=[*steps.titles(), _threshold_label(threshold)],
    )
    return Figure(traces, layout)


def _norm_lines(steps: StepAxis, curve: NormCurve, style: dict[str, Any]) -> list[dict[str, Any]]:
    """Up to two lines with one name, for source and output: not every network connects the two."""
    edge = len(steps.source)
    parts = [(edge - len(curve.source), curve.source), (edge, curve.output)]
    places = [(range(first, first + len(values)), values) for first, values in parts if values]
    return [
        drawing.scatter_trace(
            "lines+markers",
            name=curve.name,
            legendgroup=curve.name,
            showlegend=number == 0,
            x=list(indices),
            y=[float(f"{value:.4g}") if value > 0 else None for value in values],
            text=[_norm_label(steps, curve, index) for index in indices],
            customdata=[steps.marks[index] if curve.is_current else [] for index in indices],
            hover=f"%{{text}}<br>{curve.name}: %{{y:.3g}}",
            line=style,
            marker={
                "size": 5,
                "color": style["color"],
                "symbol": "circle-open" if curve.backward else "circle",
            },
        )
        for number, (indices, values) in enumerate(places)
    ]


def _norm_label(steps: StepAxis, curve: NormCurve, index: int) -> str:
    """The token at an index; for another network, whose tokens may differ, the number of steps back."""
    if curve.is_current:
        return steps.labels[index]
    back = len(steps.source) + len(curve.output) - 1 - index
    return say("{count} steps back", count=back)


def _norm_style(curve: NormCurve, dashes: Iterator[str]) -> dict[str, Any]:
    if not curve.is_current:
        return {"color": LIGHT.muted, "width": 2, "dash": next(dashes)}
    return {"color": LIGHT.source if curve.backward else LIGHT.output, "width": 3}


def _threshold_label(threshold: float) -> dict[str, Any]:
    # An annotation stands at the logarithm.
    text, height = f"θ = {short_text(threshold)}", math.log10(threshold)
    return drawing.note(text, 1, height, "right bottom", paper="x", yref="y", font={"color": LIGHT.edit})
