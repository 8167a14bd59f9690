"""The searches at every beam width, on the page of a report."""

from __future__ import annotations

from html import escape

from models.evaluation.beam_widths.step import SCORE_DIGITS, Step
from models.evaluation.report.elements import Data, interval, section, table

HEADS = ("beam width", "mean score", "chrF", "BLEU", "tokens", "empty", "cut off", "same", "worse", "better")
NOTE = "Same, worse, better: beside the width before. Worse: a higher score and a lower chrF, as rounded."


def width_sections(report: Data) -> str:
    """Sentences, numbers and the worst falls of each curve; nothing without one."""
    inside = "".join(map(_curve, report["width_curves"]))
    return section("At every beam width", inside) if inside else ""


def _curve(curve: Data) -> str:
    sentences = "".join(f"<p>{escape(sentence)}</p>" for sentence in curve["findings"])
    rows = [_row(each) for each in curve["points"]]
    title, note = f"<h3>{escape(curve['system'])}</h3>", f'<p class="quiet">{NOTE}</p>'
    return title + sentences + table(HEADS, rows, numbers=0) + note + _worst(curve)


def _row(point: Data) -> list[str]:
    steps = point["steps"]
    return [
        str(point["width"]),
        "–" if point["score"] is None else f"{point['score']:.{SCORE_DIGITS}f}",
        interval(point["chrf"]),
        interval(point["bleu"]),
        "–" if point["length"] is None else f"{point['length']:.2f}",
        str(point["empty"]),
        str(point["cut"]),
        *(str(steps.get(kind, "–")) for kind in (Step.SAME, Step.WORSE, Step.BETTER)),
    ]


def _worst(curve: Data) -> str:
    if not curve["worst"]:
        return ""
    widths = [curve["points"][at]["width"] for at in (0, -1)]
    rows = [
        [escape(text or "–") for text in (each["source"], each["reference"], *each["outputs"])]
        for each in curve["worst"]
    ]
    return table(("source", "reference", *(f"beam width {width}" for width in widths)), rows)
