"""The segments as a CSV file that a spreadsheet may open."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from models.evaluation.report.evaluation_report import EvaluationReport

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet reads a text with such a start as a formula
SYSTEM_COLUMNS = ("checkpoint", "decoding")
WIDTH_COLUMNS = ("output", "score", "chrf")  # columns of each beam width of a curve
# The heading of each column of a system, and the field with its values.
OUTPUT_COLUMNS = {"output": "output", "chrf": "chrf", "doubt": "mean_nll", "score": "score"}
OUTPUT_COLUMNS |= {name: name for name in ("reference_score", "cause", "evidence")}


def to_csv(report: EvaluationReport) -> str:
    """A row for each segment; the headings of a system's columns begin with its name.

    Every row ends with the checkpoints, their decoding, the date and the number of segments.
    """
    names = report.names
    scores = list(report.rows[0].scores)
    widths = [
        (f"{curve.system}, beam width {width}", outputs)
        for curve in report.width_curves
        for width, outputs in curve.outputs.items()
    ]
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(
        [safe(head) for head in ("line", "source", "references", *scores)]
        + [safe(f"{name}: {column}") for name in names for column in OUTPUT_COLUMNS]
        + [safe(f"{name}: {column}") for name, _ in widths for column in WIDTH_COLUMNS]
        + [safe(f"{name}: {column}") for name in names for column in SYSTEM_COLUMNS]
        + ["date", "segments"]
    )
    decodings = (text for system in report.systems for text in (system.checkpoint, system.decoding_in_full))
    constants = [*map(safe, decodings), report.date, str(report.segments)]
    for index, row in enumerate(report.rows):
        first = [row.line, safe(row.source), safe(" ||| ".join(row.references))]
        numbers = [row.scores[name] for name in scores]
        cells = [
            _cell(getattr(row.systems[name], field)) for name in names for field in OUTPUT_COLUMNS.values()
        ]
        cells += [_cell(getattr(outputs[index], column)) for _, outputs in widths for column in WIDTH_COLUMNS]
        writer.writerow([*first, *numbers, *cells, *constants])
    return file.getvalue()


def safe(text: str) -> str:
    """The text, after an apostrophe if a spreadsheet would take it for a formula (OWASP, CSV injection)."""
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def _cell(value: object) -> object:
    return safe(value) if isinstance(value, str) else value
