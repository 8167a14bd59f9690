"""The searches at every beam width, on the page of a report."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from models.evaluation.beam_widths.change import SCORE_DIGITS, WidthChange
from models.evaluation.report.elements import estimate, section, table

if TYPE_CHECKING:
    from models.evaluation.beam_widths.curve import WidthCurve, WidthPoint
    from models.evaluation.report.evaluation_report import EvaluationReport

WIDTH_HEADINGS = (
    "beam width",
    "mean score",
    "chrF",
    "BLEU",
    "tokens",
    "empty",
    "cut off",
    "same",
    "worse",
    "better",
)
COLUMN_NOTE = (
    "Same, worse, better: beside the width before. Worse: a higher score and a lower chrF, as rounded."
)


def width_sections(report: EvaluationReport) -> str:
    """Findings, numbers and the worst falls of each curve; "" if there is no curve."""
    html = "".join(map(_curve, report.width_curves))
    return section("At every beam width", html) if html else ""


def _curve(curve: WidthCurve) -> str:
    sentences = "".join(f"<p>{escape(sentence)}</p>" for sentence in curve.findings)
    rows = [_row(point) for point in curve.points]
    title, note = f"<h3>{escape(curve.system)}</h3>", f'<p class="quiet">{COLUMN_NOTE}</p>'
    return title + sentences + table(WIDTH_HEADINGS, rows, numbers=0) + note + _worst(curve)


def _row(point: WidthPoint) -> list[str]:
    return [
        str(point.width),
        "–" if point.score is None else f"{point.score:.{SCORE_DIGITS}f}",
        estimate(point.chrf),
        estimate(point.bleu),
        "–" if point.length is None else f"{point.length:.2f}",
        str(point.empty),
        str(point.cut),
        *(
            str(point.width_changes.get(kind, "–"))
            for kind in (WidthChange.SAME, WidthChange.WORSE, WidthChange.BETTER)
        ),
    ]


def _worst(curve: WidthCurve) -> str:
    if not curve.worst:
        return ""
    widths = [curve.points[index].width for index in (0, -1)]
    rows = [
        [escape(text or "–") for text in (sentence.source, sentence.reference, *sentence.outputs)]
        for sentence in curve.worst
    ]
    return table(("source", "reference", *(f"beam width {width}" for width in widths)), rows)
