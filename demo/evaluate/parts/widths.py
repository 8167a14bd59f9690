"""The same searches at every beam width: whether a wider beam is better."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from demo.evaluate.parts.differences import difference_sentence
from demo.evaluate.parts.part import EvaluationPart, choose_index, interval_text
from demo.evaluate.work.request import allowed_widths
from demo.i18n import later, listed, message_text, say
from demo.i18n.display import number_text
from demo.widgets.answers.content import Chart, Content, Controls, Table
from demo.widgets.figures.curves.beam_widths import HEADING, LENGTH, Panel, width_figure
from models.evaluation.beam_widths.curve import CHRF_DIGITS, SCORE_DIGITS, WidthChange

if TYPE_CHECKING:
    from models.evaluation.beam_widths.curve import WidthCurve, WidthPoint
    from models.evaluation.report.evaluation_report import EvaluationReport, SystemReport

WIDTHS, WORSE = "widths", "worse"  # contents of the table


def compute(report: EvaluationReport, controls: Controls) -> Content:
    """One search at every width: its findings, a chart with a panel for each quantity, and a table."""
    curves = report.width_curves
    if not curves:
        return _offer_to_measure(report)
    options = [(str(number), curve.system) for number, curve in enumerate(curves)]
    curve = curves[choose_index(controls, "system", say("system"), options)]
    table = _table(curve)
    if curve.worst:
        lists = [(WIDTHS, say("beam widths")), (WORSE, say("sentences that became worse"))]
        if controls.choose("list", say("table"), lists) == WORSE:
            table = _worst(curve)
    first, last = (say("beam width {width}", width=curve.points[index].width) for index in (0, -1))
    sentences = [*map(message_text, curve.findings), difference_sentence(last, first, curve.difference)]
    sentences.append(
        say(
            "Worse: another output with a higher score and a lower chrF than at the width before; both as "
            "rounded in the table. Whiskers: the 95% interval over other test sets like this one."
        )
    )
    figure = width_figure([point.width for point in curve.points], _panels(curve))
    return Content(sentences, [Chart("widths", say(HEADING), figure)], table)


def _panels(curve: WidthCurve) -> list[Panel]:
    points, count = curve.points, curve.segments
    chrf = [point.chrf for point in points]
    length = say("tokens; dashed: references")
    panels = [
        Panel(say("mean score"), [point.score for point in points], digits=SCORE_DIGITS),
        Panel(
            "chrF",
            [score.value for score in chrf],
            [score.low for score in chrf],
            [score.high for score in chrf],
            marked=_falls(points),
            digits=CHRF_DIGITS,
        ),
        Panel(length, [point.length for point in points], level=curve.reference_length),
    ]
    ends = [100 * (point.empty + point.cut) / count for point in points]
    if any(ends):
        panels.append(Panel(say("empty or cut off (%)"), ends, digits=1, from_zero=True))
    worse = [None, *(100 * point.width_changes[WidthChange.WORSE] / count for point in points[1:])]
    title = say("worse than at the width before (%)")
    return [*panels, Panel(title, worse, digits=1, from_zero=True)]


def _falls(points: Sequence[WidthPoint]) -> list[bool]:
    """Answer for each width whether rounded chrF falls although the mean score rises."""
    rounded = [
        (round(point.score or 0, SCORE_DIGITS), round(point.chrf.value, CHRF_DIGITS)) for point in points
    ]
    return [False, *(after[0] > before[0] and after[1] < before[1] for before, after in pairwise(rounded))]


def _table(curve: WidthCurve) -> Table:
    heads = [say("beam width"), say("mean score"), "chrF", "BLEU", say(LENGTH)]
    heads += [say("empty"), say("cut off"), say("other outputs"), say("worse"), say("better")]
    rows = []
    for point in curve.points:
        changes = point.width_changes
        row = [str(point.width), "–" if point.score is None else number_text(point.score, 3)]
        row += [interval_text(point.chrf), interval_text(point.bleu)]
        row += ["–" if point.length is None else number_text(point.length, 2)]
        row += [str(point.empty), str(point.cut)]
        counts: list[object] = ["–"] * 3
        if changes:
            others = curve.segments - changes.get(WidthChange.SAME, 0)
            counts = [others, changes[WidthChange.WORSE], changes[WidthChange.BETTER]]
        rows.append([*row, *map(str, counts)])
    return Table(heads, rows)


def _worst(curve: WidthCurve) -> Table:
    heads = [say("source"), say("reference")]
    heads += [say("beam width {width}", width=curve.points[index].width) for index in (0, -1)]
    rows = []
    for sentence in curve.worst:
        outputs = [
            f"{text or say('empty')} ({number_text(score, 3)}; chrF {number_text(chrf, 1)})"
            for text, score, chrf in zip(sentence.outputs, sentence.scores, sentence.chrf, strict=True)
        ]
        rows.append([sentence.source, sentence.reference, *outputs])
    return Table(heads, rows)


def _offer_to_measure(report: EvaluationReport) -> Content:
    rows = [[system.name, listed(map(str, _widths(system)))] for system in report.systems if _widths(system)]
    return Content(
        [say("Not measured yet: the same searches of the same segments at all of these beam widths.")],
        table=Table([say("system"), say("beam widths")], rows),
    )


def _widths(system: SystemReport) -> list[int]:
    """The widths at which a system can be run on this server; none if that is a single one."""
    allowed = [width for width in system.widths if width in allowed_widths()]
    return allowed if len(allowed) > 1 else []


PART = EvaluationPart(
    "widths",
    later("Beam width"),
    later("Is a wider beam better, and where does it make things worse?"),
    25,
    compute,
    lambda report: any(map(_widths, report.systems)),
    lambda report: "" if report.width_curves else say("Measure every beam width"),
)
