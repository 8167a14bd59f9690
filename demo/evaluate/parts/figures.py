"""The figures of each system with their intervals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from demo.evaluate.parts.part import SYSTEM_COLOURS, EvaluationPart, chart, interval_text, label, whiskers
from demo.i18n import later, listed, message_text, say
from demo.i18n.display import number_text
from demo.widgets.answers.content import Chart, Content, Controls, Table
from demo.widgets.figures.drawing import plain_axis, scatter_trace
from demo.widgets.figures.figure import Figure

if TYPE_CHECKING:
    from models.evaluation.report.evaluation_report import EvaluationReport, SystemReport
    from models.evaluation.systems import MetricScore

LEAD_METRIC = "chrF"  # the figure that the finding is about
MIN_SEGMENTS = 10  # segments; of fewer an interval is hardly wider than a point


def compute(report: EvaluationReport, controls: Controls) -> Content:
    """A row for each system, a column for each metric, intervals in brackets."""
    by_system = {system.name: _by_name(system) for system in report.systems}
    scores = {name: score for figures in by_system.values() for name, score in figures.items()}
    rows = [
        [system, *(interval_text(figures[name]) if name in figures else "–" for name in scores)]
        for system, figures in by_system.items()
    ]
    heads = [f"{say(name)} ↓" if score.lower_is_better else say(name) for name, score in scores.items()]
    return Content(
        [_finding(report), *_circumstances(report)],
        [Chart("figures", say("Figures with their 95% intervals"), figures_figure(report))],
        Table([say("system"), *heads], rows),
    )


def figures_figure(report: EvaluationReport) -> Figure:
    """BLEU, chrF and exact match, whose scale goes to 100, as points with whiskers."""
    names = [score.name for score in report.systems[0].metric_scores if not score.lower_is_better]
    count = len(report.systems)
    traces = []
    for index, system in enumerate(report.systems):
        scores = [_by_name(system)[name] for name in names]
        offset = 0.22 * (index - (count - 1) / 2)  # puts systems side by side within the line of a metric
        traces.append(
            scatter_trace(
                "markers",
                name=label(system.name),
                x=[score.value for score in scores],
                y=[line + offset for line in range(len(names))],
                marker={"color": SYSTEM_COLOURS[index], "size": 10},
                **whiskers(scores, "x"),
                hovertemplate="%{x:.1f}<extra>" + label(system.name) + "</extra>",
            )
        )
    yaxis = {"tickvals": list(range(len(names))), "ticktext": [say(name) for name in names]}
    yaxis |= plain_axis(range=[len(names) - 0.5, -0.5], showgrid=False)
    height = 90 + len(names) * (20 + 8 * count)
    return chart(traces, height, xaxis={"range": [0, 101]}, yaxis=yaxis, showlegend=count > 1)


def _finding(report: EvaluationReport) -> str:
    systems, count = report.systems, report.segments
    best = max((_by_name(system)[LEAD_METRIC] for system in systems), key=lambda score: score.value)
    winners = [system.name for system in systems if _by_name(system)[LEAD_METRIC].value == best.value]
    if len(winners) > 1:
        sentence = later("On {count} segments {system} are alike by chrF, {value}.")
    elif len(systems) > 1 and count < MIN_SEGMENTS:
        sentence = later(
            "On {count} segments {system} is best by chrF, {value}; these are too few to speak about other "
            "test sets."
        )
    elif count < MIN_SEGMENTS:
        sentence = later(
            "On {count} segments {system} has chrF {value}; these are too few to speak about other test sets."
        )
    elif len(systems) > 1:
        sentence = later(
            "On {count} segments {system} is best by chrF, {value}; 95 of 100 test sets drawn again from "
            "them give {low} to {high}."
        )
    else:
        sentence = later(
            "On {count} segments {system} has chrF {value}; 95 of 100 test sets drawn again from them give "
            "{low} to {high}."
        )
    bounds = {name: number_text(getattr(best, name), 1) for name in ("value", "low", "high")}
    return say(sentence, count=f"{count:,}", system=listed(winners), **bounds)


def _circumstances(report: EvaluationReport) -> Iterator[str]:
    yield from (message_text(note) for note in report.notes)
    run_here = [system for system in report.systems if system.checkpoint]
    if run_here:
        systems = listed(
            system.name if system.checkpoint in system.name else f"{system.checkpoint} ({system.name})"
            for system in run_here
        )
        yield say("Evaluated on {date}: {systems}.", date=report.date, systems=systems)
    if report.left_out_count:
        yield say(
            "Rows left out because a text is missing: {count} (in line {lines}).",
            count=f"{report.left_out_count:,}",
            lines=listed(f"{row.line:,}" for row in report.left_out[:10]),
        )
    if run_here:
        speeds = [
            say("{system}: {seconds} s", system=system.name, seconds=number_text(system.seconds, 1))
            for system in run_here
        ]
        yield say("Time of decoding: {speeds}.", speeds=listed(speeds))


def _by_name(system: SystemReport) -> dict[str, MetricScore]:
    return {score.name: score for score in system.metric_scores}


PART = EvaluationPart(
    "figures", later("Figures"), later("How good is each system, and how sure is that?"), 10, compute
)
