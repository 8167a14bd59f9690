"""What a part of an evaluation says of itself, once. It is answered like a view of Inspect, from a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from demo.answers.content import Shown
from demo.answers.controls import Chosen
from demo.figures.figure import Figure
from demo.figures.palette import LIGHT
from demo.i18n import say
from demo.i18n.display import number_text, plotly_text

Report = Mapping[str, Any]  # what `models.evaluation.report.dissected` says
COLOURS = (LIGHT.output, LIGHT.attention, LIGHT.source, LIGHT.edit)  # of systems, in their order
LONGEST_NAME = 40  # characters of a system's name in a chart
ROW, NARROW = 26, 320  # pixels: of a bar, of the narrowest chart


@dataclass(frozen=True)
class EvaluationPart:
    """One thing that an evaluation says."""

    name: str
    title: str  # marked by `later`
    question: str  # that it answers, in one plain sentence; marked by `later`
    place: int  # the smaller, the further ahead in the list
    # Declares its controls, then answers; raises NotHereError where there is nothing to say.
    look: Callable[[Report, Chosen], Shown]
    # Whether there is anything to say of such a report.
    applies: Callable[[Report], bool] = lambda report: True
    # What the reader may have measured for it; empty if nothing is missing.
    offer: Callable[[Report], str] = lambda report: ""


def chosen_system(report: Report, chosen: Chosen, having: str = "") -> Mapping[str, Any]:
    """The system that the reader has chosen, among those that have something of this name."""
    systems = [each for each in report["systems"] if not having or each.get(having)]
    if len(systems) > 1:
        names = [each["name"] for each in systems]
        name = chosen.choose("system", say("system"), [(each, each) for each in names])
        return next(each for each in systems if each["name"] == name)
    found: Mapping[str, Any] = systems[0]
    return found


def interval_text(figure: Mapping[str, Any], digits: int = 1) -> str:
    """A number and its interval."""
    value, low, high = (number_text(figure[name], digits) for name in ("value", "low", "high"))
    return f"{value} [{low}, {high}]"


def whiskers(figures: Sequence[Mapping[str, Any]], axis: str) -> dict[str, Any]:
    """Intervals of numbers as Plotly draws them beside points or bars; `axis` is x or y."""
    return {
        f"error_{axis}": {
            "type": "data",
            "symmetric": False,
            "array": [each["high"] - each["value"] for each in figures],
            "arrayminus": [each["value"] - each["low"] for each in figures],
            "color": LIGHT.muted,
            "thickness": 1.4,
            "width": 4,
        }
    }


def label(name: str) -> str:
    """A system's name for a chart."""
    return plotly_text(name, LONGEST_NAME).replace("␣", " ")


def chart(traces: list[dict[str, Any]], width: int, height: int, **layout: Any) -> Figure:
    """A figure on a card, with the axes of all parts; pixels, the width the least one."""
    axis: dict[str, Any] = {
        "zerolinecolor": LIGHT.muted,
        "fixedrange": True,
        "automargin": True,
    }
    given = {name: {**axis, **layout.pop(name, {})} for name in ("xaxis", "yaxis")}
    given["yaxis"].setdefault("ticklabelstandoff", 6)  # pixels; names would lean against the bars
    usual: dict[str, Any] = {
        "meta": {"min_width": width},
        "height": height,
        "margin": {"l": 12, "r": 16, "t": 12, "b": 12},
        "font": {"size": 13, "color": LIGHT.text},
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        "hovermode": "closest",
    }
    return Figure(traces, {**usual, **given, **layout})
