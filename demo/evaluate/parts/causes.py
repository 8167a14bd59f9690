"""The causes of bad outputs, how frequent each is, and what would help."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from demo.evaluate.parts.part import ROW_HEIGHT, SYSTEM_COLOURS, EvaluationPart, chart, label
from demo.i18n import later, message_text, say
from demo.i18n.display import number_text, percent_text
from demo.widgets.answers.content import Chart, Content, Controls, NotHereError, Table
from demo.widgets.figures.drawing import bars_across
from demo.widgets.figures.figure import LIGHT, Figure

if TYPE_CHECKING:
    from models.evaluation.report.evaluation_report import CauseShare, EvaluationReport, TriageSummary

COLOURS_OF_CAUSES = (*SYSTEM_COLOURS, LIGHT.edge, LIGHT.muted, LIGHT.text, LIGHT.grid)


def compute(report: EvaluationReport, controls: Controls) -> Content:
    """A bar for each system, a row for each cause."""
    triages = {
        system.name: system.triage for system in report.systems if system.triage and system.triage.causes
    }
    if not triages:
        raise NotHereError("no_bad_output", "No output is bad enough to look for a cause.")
    rows = [
        [
            message_text(cause.title),
            *(percent_text(_shares(triage).get(name, 0.0)) for triage in triages.values()),
            message_text(cause.remedy),
        ]
        for name, cause in report.causes.items()
    ]
    heads = [say("cause"), *triages, say("what would help")]
    return Content(
        [
            *(_finding(name, triage) for name, triage in triages.items()),
            say(
                "If several causes apply, the first in the guide's order is named: causes that spoil the "
                "comparison, then those that a setting would change, then the model's own error."
            ),
        ],
        [Chart("causes", say("Causes of bad outputs"), causes_figure(report.causes, triages))],
        Table(heads, rows),
    )


def causes_figure(causes: Mapping[str, CauseShare], triages: Mapping[str, TriageSummary]) -> Figure:
    """One bar for each system, divided by the shares of the causes."""
    traces = []
    for index, (name, cause) in enumerate(causes.items()):
        title = label(message_text(cause.title))
        traces.append(
            bars_across(
                title,
                COLOURS_OF_CAUSES[index % len(COLOURS_OF_CAUSES)],
                [100 * _shares(triage).get(name, 0.0) for triage in triages.values()],
                [label(system) for system in triages],
                hovertemplate=f"%{{x:.0f}}%<extra>{title}</extra>",
            )
        )
    return chart(
        traces,
        130 + (ROW_HEIGHT + 10) * len(triages),
        barmode="stack",
        xaxis={"range": [0, 100], "ticksuffix": "%"},
        yaxis={"autorange": "reversed", "showgrid": False},
    )


def _shares(triage: TriageSummary) -> dict[str, float]:
    return {cause.name: cause.share for cause in triage.causes}


def _finding(system: str, triage: TriageSummary) -> str:
    first = triage.causes[0]
    sentence = say(
        "{system}: {bad} outputs have a sentence chrF below {limit}; the most frequent cause is "
        "{cause} ({share}).",
        system=system,
        bad=f"{triage.bad:,}",
        limit=number_text(triage.bad_below, 0),
        cause=message_text(first.title),
        share=percent_text(first.share),
    )
    if triage.looked_into < triage.bad:
        sentence += " " + say("Only the worst {count} were examined.", count=f"{triage.looked_into:,}")
    return sentence


PART = EvaluationPart(
    "causes",
    later("Causes"),
    later("Why are the bad outputs bad, and what would help?"),
    30,
    compute,
    lambda report: any(system.triage for system in report.systems),
)
