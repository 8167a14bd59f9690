"""Figures of the lab of teacher forcing: its schedules, and costs token by token."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from demo.i18n import later, say
from demo.i18n.display import plotly_text
from demo.labs.lab_layout import lab_layout
from demo.widgets.figures.drawing import bar_trace, legend_above, scatter_trace, upright_line
from demo.widgets.figures.figure import LIGHT, Figure

if TYPE_CHECKING:
    from models.training.loop.exposure import Exposure

CONSTANT, LINEAR, EXPONENTIAL, INVERSE_SIGMOID = "constant", "linear", "exponential", "inverse_sigmoid"
SCHEDULE_NAMES = {
    CONSTANT: later("constant"),
    LINEAR: later("linear"),
    EXPONENTIAL: later("exponential"),
    INVERSE_SIGMOID: later("inverse sigmoid"),
}
COLOURS = dict(zip(SCHEDULE_NAMES, (LIGHT.muted, LIGHT.source, LIGHT.attention, LIGHT.edit), strict=True))
STEPS = 100  # steps of the training whose schedule is drawn
COLUMN, MARGINS = 56, 90  # pixels
LABEL = 10  # characters
DIGITS = 4  # digits of drawn values


def schedule_figure(name: str, ratios: Mapping[str, Sequence[float]], done: float) -> Figure:
    """Draw all four schedules, the chosen one thick, and a point at the training's progress.

    Each has STEPS + 1 ratios, from its start to its end.
    """
    lines = [
        scatter_trace(
            "lines",
            name=say(SCHEDULE_NAMES[key]),
            x=list(range(STEPS + 1)),
            y=[round(ratio, DIGITS) for ratio in ratios[key]],
            line={"color": COLOURS[key], "width": 4 if key == name else 1},
            hover="ε = %{y:.2f}",
        )
        for key in SCHEDULE_NAMES
    ]
    point = {
        **lines[0],
        "mode": "markers",
        "x": [100 * done],
        "y": [round(ratios[name][round(done * STEPS)], DIGITS)],
        "marker": {"color": LIGHT.output, "size": 11},
        "showlegend": False,
    }
    across = {"title": {"text": say("training done (%)")}, "range": [-1, 101]}
    return Figure([*lines, point], _layout(across, {"title": {"text": "ε"}, "range": [0, 1.05]}, 320))


def cost_figure(outcome: Exposure, labels: Mapping[int, str]) -> Figure:
    """Draw the cost of each reference token after the reference's tokens and after the network's own."""
    pairs = [
        (say("teacher-forced"), outcome.teacher_forced_costs, LIGHT.source),
        (say("free-running"), outcome.exposed_costs, LIGHT.output),
    ]
    bars = [
        bar_trace(
            name=name,
            x=list(range(len(costs))),
            y=[round(cost, DIGITS) for cost in costs],
            marker={"color": colour},
            hovertext=[plotly_text(labels[item]) for item in outcome.reference[: len(costs)]],
            hover="%{hovertext}: %{y:.2f}",
        )
        for name, costs, colour in pairs
    ]
    ticks = [
        plotly_text(labels[item], LABEL) + ("" if free is None else f"<br>{plotly_text(labels[free], LABEL)}")
        for item, free in zip(
            outcome.reference, (*outcome.free_running, *[None] * len(outcome.reference)), strict=False
        )
    ]
    across = {"tickvals": list(range(len(ticks))), "ticktext": ticks, "tickangle": 0}
    width = MARGINS + COLUMN * len(ticks)
    layout = _layout(across, {"title": {"text": say("cost (nats)")}, "rangemode": "tozero"}, width)
    if outcome.divergence is not None:
        layout["shapes"] = [upright_line(outcome.divergence, LIGHT.attention, width=2, layer="below")]
    return Figure([*bars], {**layout, "barmode": "group"})


def _layout(across: dict[str, Any], upright: dict[str, Any], width: int) -> dict[str, Any]:
    return lab_layout(across, upright, width, height=300, top=56, bottom=60, legend=legend_above(1.04))
