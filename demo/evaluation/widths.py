"""Whether a wider beam is better: the same searches at every beam width."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from demo.answers.content import Chart, Shown, Table
from demo.answers.controls import Chosen
from demo.evaluation.differences import difference_sentence
from demo.evaluation.part import EvaluationPart, Report, interval_text
from demo.figures.width_curve import HEADING, LENGTH, Panel, width_figure
from demo.i18n import later, listed, say, tell
from demo.i18n.display import number_text
from demo.service.evaluation.request import allowed_widths
from models.evaluation.beam_widths.step import CHRF_DIGITS, SCORE_DIGITS, Step

WIDTHS, WORSE = "widths", "worse"  # what the table lists


def look(report: Report, chosen: Chosen) -> Shown:
    """One search at every width: what may be said of it, five quantities, and a table."""
    if not report["width_curves"]:
        return _unmeasured(report)
    curves = report["width_curves"]
    place = 0
    if len(curves) > 1:
        options = [(str(at), each["system"]) for at, each in enumerate(curves)]
        place = int(chosen.choose("system", say("system"), options))
    curve = curves[place]
    table = _table(curve)
    if curve["worst"]:
        lists = [(WIDTHS, say("beam widths")), (WORSE, say("sentences that became worse"))]
        if chosen.choose("list", say("table"), lists) == WORSE:
            table = _worst(curve)
    first, last = curve["points"][0], curve["points"][-1]
    narrow, wide = (say("beam width {width}", width=each["width"]) for each in (first, last))
    change = difference_sentence(wide, narrow, [{**curve["difference"], "metric": "chrF"}])
    told = [*map(tell, curve["findings"]), change]
    told.append(
        say(
            "Worse: another output with a higher score and a lower chrF than at the width before; both as "
            "rounded in the table. Whiskers: the 95% interval over other test sets like this one."
        )
    )
    widths = [each["width"] for each in curve["points"]]
    figure = width_figure(widths, _panels(curve))
    return Shown(told, [Chart("widths", say(HEADING), figure)], table)


def _panels(curve: Report) -> list[Panel]:
    points, count = curve["points"], curve["segments"]
    chrf = [each["chrf"] for each in points]
    length = say("tokens; dashed: references")
    panels = [
        Panel(say("mean score"), [each["score"] for each in points], digits=SCORE_DIGITS),
        Panel(
            "chrF",
            [each["value"] for each in chrf],
            [each["low"] for each in chrf],
            [each["high"] for each in chrf],
            marked=_falls(points),
            digits=CHRF_DIGITS,
        ),
        Panel(length, [each["length"] for each in points], level=curve["reference_length"]),
    ]
    ends = [100 * (each["empty"] + each["cut"]) / count for each in points]
    if any(ends):
        panels.append(Panel(say("empty or cut off (%)"), ends, digits=1, from_zero=True))
    worse = [None, *(100 * each["steps"][Step.WORSE] / count for each in points[1:])]
    title = say("worse than at the width before (%)")
    return [*panels, Panel(title, worse, digits=1, from_zero=True)]


def _falls(points: Sequence[Report]) -> list[bool]:
    """Where chrF, as it is shown, is lower than at the width before while the mean score is higher."""
    shown = [
        (round(each["score"] or 0, SCORE_DIGITS), round(each["chrf"]["value"], CHRF_DIGITS))
        for each in points
    ]
    return [False, *(after[0] > before[0] and after[1] < before[1] for before, after in pairwise(shown))]


def _table(curve: Report) -> Table:
    heads = [say("beam width"), say("mean score"), "chrF", "BLEU", say(LENGTH)]
    heads += [say("empty"), say("cut off"), say("other outputs"), say("worse"), say("better")]
    rows = []
    for each in curve["points"]:
        steps, score = each["steps"], each["score"]
        row = [str(each["width"]), "–" if score is None else number_text(score, 3)]
        row += [interval_text(each[name]) for name in ("chrf", "bleu")]
        row += ["–" if each["length"] is None else number_text(each["length"], 2)]
        row += [str(each["empty"]), str(each["cut"])]
        others = curve["segments"] - steps.get(Step.SAME, 0)
        rows.append([*row, *([others, steps[Step.WORSE], steps[Step.BETTER]] if steps else ["–"] * 3)])
    return Table(heads, [[str(cell) for cell in row] for row in rows])


def _worst(curve: Report) -> Table:
    widths = [curve["points"][at]["width"] for at in (0, -1)]
    heads = [say("source"), say("reference")]
    heads += [say("beam width {width}", width=width) for width in widths]
    rows = []
    for each in curve["worst"]:
        outputs = [
            f"{text or say('empty')} ({number_text(score, 3)}; chrF {number_text(chrf, 1)})"
            for text, score, chrf in zip(each["outputs"], each["scores"], each["chrf"], strict=True)
        ]
        rows.append([each["source"], each["reference"], *outputs])
    return Table(heads, rows)


def _unmeasured(report: Report) -> Shown:
    found = [[each["name"], listed(map(str, _widths(each)))] for each in report["systems"] if _widths(each)]
    return Shown(
        [say("Not measured yet: the same searches of the same segments at all of these beam widths.")],
        table=Table([say("system"), say("beam widths")], found),
    )


def _widths(system: Report) -> list[int]:
    """At which a system could be run here; none if that is a single one."""
    allowed = [width for width in system["widths"] if width in allowed_widths()]
    return allowed if len(allowed) > 1 else []


PART = EvaluationPart(
    "widths",
    later("Beam width"),
    later("Is a wider beam better, and where does it make things worse?"),
    25,
    look,
    lambda report: any(map(_widths, report["systems"])),
    lambda report: "" if report["width_curves"] else say("Measure every beam width"),
)
