"""The declaration of a part of an evaluation, and what parts share. A part answers like a view of Inspect."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from demo.i18n import say
from demo.i18n.display import number_text, plotly_text
from demo.widgets.answers.content import Content, Controls
from demo.widgets.figures.drawing import chart_layout, error_bars, legend_above
from demo.widgets.figures.figure import LIGHT, Figure

if TYPE_CHECKING:
    from models.evaluation.report.evaluation_report import EvaluationReport, MetricDifference, SystemReport
    from models.evaluation.systems import MetricScore

SYSTEM_COLOURS = (LIGHT.output, LIGHT.attention, LIGHT.source, LIGHT.edit)
MAX_NAME_CHARACTERS = 40  # characters of a name in a chart
ROW_HEIGHT, MIN_WIDTH = 26, 320  # pixels: of a bar, of any chart


@dataclass(frozen=True)
class EvaluationPart:
    """One part of an evaluation: its button in the tab Evaluate, its link and its downloads."""

    name: str
    title: str  # marked by `later`
    question: str  # the question that it answers, one plain sentence; marked by `later`
    position: int  # parts are listed from the smallest to the largest
    # Declares its controls, then answers; raises NotHereError if there is nothing to say.
    compute: Callable[[EvaluationReport, Controls], Content]
    # Whether the part applies to a report.
    applies: Callable[[EvaluationReport], bool] = lambda report: True
    # The label of a button that measures what is missing; "" if nothing is.
    offer: Callable[[EvaluationReport], str] = lambda report: ""


def choose_system(systems: Sequence[SystemReport], controls: Controls) -> SystemReport:
    """The system that the reader chooses, if there are several; else the only one."""
    options = [(system.name, system.name) for system in systems]
    return systems[choose_index(controls, "system", say("system"), options)]


def choose_index(controls: Controls, name: str, title: str, options: Sequence[tuple[str, str]]) -> int:
    """The index of the option, a value and its label, that the reader chooses; 0 if there is only one."""
    values = [value for value, _ in options]
    return values.index(controls.choose(name, title, options)) if len(options) > 1 else 0


def interval_text(figure: MetricScore | MetricDifference, digits: int = 1) -> str:
    """A number with its interval in brackets."""
    value, low, high = (number_text(number, digits) for number in (figure.value, figure.low, figure.high))
    return f"{value} [{low},\u00a0{high}]"  # a narrow cell breaks the line before the bracket


def whiskers(figures: Sequence[MetricScore] | Sequence[MetricDifference], axis: str) -> dict[str, Any]:
    """The error bars of Plotly for the intervals of some numbers; `axis` is x or y."""
    values, intervals = [one.value for one in figures], [(one.low, one.high) for one in figures]
    return {f"error_{axis}": error_bars(values, intervals, color=LIGHT.muted, thickness=1.4, width=4)}


def label(name: str) -> str:
    """The name of a system or a cause in a chart."""
    return plotly_text(name, MAX_NAME_CHARACTERS).replace("␣", " ")


def chart(traces: list[dict[str, Any]], height: int, *, width: int = 0, **layout: Any) -> Figure:
    """A figure with the axes that all parts share; `height` and the least `width` in pixels."""
    axis: dict[str, Any] = {"zerolinecolor": LIGHT.muted, "fixedrange": True, "automargin": True}
    axes = {name: {**axis, **layout.pop(name, {})} for name in ("xaxis", "yaxis")}
    axes["yaxis"].setdefault("ticklabelstandoff", 6)  # pixels; without it names touch the bars
    defaults: dict[str, Any] = chart_layout(
        height,
        (12, 16, 12, 12),
        min_width=max(width, MIN_WIDTH),
        font_size=13,
        legend=legend_above(),
        hovermode="closest",
    )
    return Figure(traces, {**defaults, **axes, **layout})
