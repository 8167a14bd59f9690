"""The effects on the outputs when sources are changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from demo.evaluate.parts.part import ROW_HEIGHT, SYSTEM_COLOURS, EvaluationPart, chart, choose_index
from demo.i18n import later, say
from demo.i18n.display import number_text
from demo.widgets.answers.content import Cell, Chart, Content, Controls, Table
from demo.widgets.figures.drawing import bars_across, error_bars
from demo.widgets.figures.figure import LIGHT, Figure

if TYPE_CHECKING:
    from models.evaluation.report.evaluation_report import ChangeEffect, EvaluationReport

ALL_KINDS = "each"  # the value in links
CHANGE, LOST = later("change of the source"), later("points of chrF lost")


def compute(report: EvaluationReport, controls: Controls) -> Content:
    """All kinds of change, the most damaging first; or the outputs of one kind."""
    options = [(system.system, system.system) for system in report.changes]
    kinds = report.changes[choose_index(controls, "system", say("system"), options)].kinds
    options = [(ALL_KINDS, say("all of them")), *((kind.name, say(kind.title)) for kind in kinds)]
    selected = controls.choose("change", say(CHANGE), options)
    charts = [Chart("changes", say("Points of chrF lost by a change of the source"), changes_figure(kinds))]
    sentences = [_finding(kinds), *_ignored_change(kinds)]
    if selected == ALL_KINDS:
        return Content(sentences, charts, _overview(kinds))
    kind = next(kind for kind in kinds if kind.name == selected)
    return Content([say(kind.sentence), *sentences], charts, _worst(kind))


def changes_figure(kinds: Sequence[ChangeEffect]) -> Figure:
    """A bar for each kind; orange if the output should have stayed the same."""
    traces = []
    for keeps, colour, title in (
        (True, LIGHT.attention, say("the output should stay the same")),
        (False, SYSTEM_COLOURS[0], say("the output should change")),
    ):
        group = [kind for kind in kinds if kind.keeps_meaning is keeps]
        damages = [kind.damage for kind in group]
        traces.append(
            bars_across(
                title,
                colour,
                damages,
                [say(kind.title) for kind in group],
                error_x=error_bars(damages, [kind.damage_bounds for kind in group], color=LIGHT.muted),
                hover="%{x:.1f}",
            )
        )
    order = [say(kind.title) for kind in kinds]
    yaxis = {"categoryorder": "array", "categoryarray": order, "autorange": "reversed", "showgrid": False}
    return chart(traces, 110 + ROW_HEIGHT * len(kinds), yaxis=yaxis)


def _overview(kinds: Sequence[ChangeEffect]) -> Table:
    rows: list[list[Cell]] = []
    for kind in kinds:
        damage, low, high = (number_text(number, 1) for number in (kind.damage, *kind.damage_bounds))
        rows.append(
            [
                say(kind.title),
                kind.changed,
                f"{damage} [{low}, {high}]",
                f"{number_text(kind.same, 0)}%",
                say("the same") if kind.keeps_meaning else say("another"),
            ]
        )
    heads = [say(CHANGE), say("sources"), say(LOST), say("outputs unchanged"), say("output wanted")]
    return Table(heads, rows)


def _worst(kind: ChangeEffect) -> Table:
    heads = [say("source"), say("changed source"), say("output"), say("output after"), say(LOST)]
    rows: list[list[Cell]] = [
        [output.source, output.changed, output.before, output.after, output.damage] for output in kind.worst
    ]
    return Table(heads, rows)


def _finding(kinds: Sequence[ChangeEffect]) -> str:
    worst = next((kind for kind in kinds if kind.keeps_meaning), None)
    if worst is None:
        return say("No change that keeps the meaning could be made.")
    return say(
        "The worst change that keeps the meaning is {change}: it costs {points} points of chrF.",
        change=say(worst.title),
        points=number_text(worst.damage, 1),
    )


def _ignored_change(kinds: Sequence[ChangeEffect]) -> list[str]:
    """A sentence on the change of meaning that outputs ignore most often, if there is one."""
    ignored = [kind for kind in kinds if not kind.keeps_meaning and kind.same > 0]
    if not ignored:
        return []
    worst = max(ignored, key=lambda kind: kind.same)
    return [
        say(
            "{change} changes the meaning, and yet {share}% of the outputs stay as they were.",
            change=say(worst.title),
            share=number_text(worst.same, 0),
        )
    ]


PART = EvaluationPart(
    "changes",
    later("Changed sources"),
    later("How does an output change when its source changes a little?"),
    80,
    compute,
    lambda report: any(system.kinds for system in report.changes),
)
