"""Scores by groups of segments or words: where systems are good and where they are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from demo.evaluate.parts.part import SYSTEM_COLOURS, EvaluationPart, chart, interval_text, label, whiskers
from demo.i18n import later, message_text, say
from demo.i18n.display import number_text
from demo.widgets.answers.content import Cell, Chart, Content, Controls, Table
from demo.widgets.figures.drawing import bar_trace
from demo.widgets.figures.figure import Figure

if TYPE_CHECKING:
    from models.evaluation.breakdowns import Breakdown
    from models.evaluation.report.evaluation_report import EvaluationReport


def compute(report: EvaluationReport, controls: Controls) -> Content:
    """One breakdown: a row for each group, a column for each system."""
    options = [(breakdown.name, message_text(breakdown.title)) for breakdown in report.breakdowns]
    name = controls.choose("by", say("broken down by"), options)
    breakdown = next(breakdown for breakdown in report.breakdowns if breakdown.name == name)
    rows: list[list[Cell]] = [
        [
            group.label,
            group.count,
            *(
                interval_text(group.metric_scores[system]) if system in group.metric_scores else "–"
                for system in report.names
            ),
        ]
        for group in breakdown.bins
    ]
    title = f"{message_text(breakdown.title)}: {say(breakdown.measure)}"
    return Content(
        [
            _finding(breakdown, report.names[0]),
            say("The smaller a group, the wider its interval, and the less its score says."),
        ],
        [Chart(f"by_{name}", title, breakdown_figure(breakdown, report.names))],
        Table([message_text(breakdown.title), say("count"), *report.names], rows),
    )


def breakdown_figure(breakdown: Breakdown, systems: list[str]) -> Figure:
    """Bars of the systems side by side, with whiskers."""
    traces = []
    for index, name in enumerate(systems):
        groups = [group for group in breakdown.bins if name in group.metric_scores]
        figures = [group.metric_scores[name] for group in groups]
        traces.append(
            bar_trace(
                name=label(name),
                x=[group.label for group in groups],
                y=[figure.value for figure in figures],
                marker={"color": SYSTEM_COLOURS[index]},
                **whiskers(figures, "y"),
                customdata=[group.count for group in groups],
                hovertemplate="%{y:.1f} (n = %{customdata})<extra>" + label(name) + "</extra>",
            )
        )
    width = 60 + len(breakdown.bins) * (26 + 26 * len(systems))
    xaxis = {"type": "category", "showgrid": False}
    yaxis = {"rangemode": "tozero"}
    return chart(traces, 300, width=width, xaxis=xaxis, yaxis=yaxis, showlegend=len(systems) > 1)


def _finding(breakdown: Breakdown, system: str) -> str:
    groups = [group for group in breakdown.bins if system in group.metric_scores and group.count]
    best, worst = (pick(groups, key=lambda group: group.metric_scores[system].value) for pick in (max, min))
    return say(
        "{system}: {measure} is {high} at {best} and {low} at {worst}.",
        system=system,
        measure=message_text(breakdown.measure),
        high=number_text(best.metric_scores[system].value, 1),
        best=best.label,
        low=number_text(worst.metric_scores[system].value, 1),
        worst=worst.label,
    )


PART = EvaluationPart(
    "breakdowns",
    later("Breakdowns"),
    later("Where is it good and where bad: by length, by unknown words, by score?"),
    40,
    compute,
    lambda report: bool(report.breakdowns),
)
