"""The segments as a CSV file that a spreadsheet may open."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any

from models.evaluation.report.about import decoding_of

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # how a spreadsheet knows a formula
ABOUT = ("checkpoint", "decoding")
WIDTH_COLUMNS = ("output", "score", "chrf")  # of each beam width, where they were measured
COLUMNS = ("output", "chrf", "doubt", "score", "reference_score", "cause", "evidence")


def to_csv(report: Mapping[str, Any]) -> str:
    """A row for each segment, the columns of each system behind its name, as `dissect` has them.

    Every row ends with what was evaluated: its checkpoints, their decoding, the date, the number of segments.
    """
    names = [system["name"] for system in report["systems"]]
    scores = list(report["rows"][0]["scores"])
    widths = [
        (f"{curve['system']}, beam width {width}", outputs)
        for curve in report["width_curves"]
        for width, outputs in curve["outputs"].items()
    ]
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(
        [safe(cell) for cell in ("line", "source", "references", *scores)]
        + [safe(f"{name}: {column}") for name in names for column in COLUMNS]
        + [safe(f"{name}: {column}") for name, _ in widths for column in WIDTH_COLUMNS]
        + [safe(f"{name}: {column}") for name in names for column in ABOUT]
        + ["date", "segments"]
    )
    about = [safe(text) for each in report["systems"] for text in (each["checkpoint"], decoding_of(each))]
    about += [report["date"], str(report["segments"])]
    for at, row in enumerate(report["rows"]):
        first = [row["line"], safe(row["source"]), safe(" ||| ".join(row["references"]))]
        numbers = [row["scores"][name] for name in scores]
        cells = [_cell(row["systems"][name].get(column, "")) for name in names for column in COLUMNS]
        cells += [_cell(outputs[at][column]) for _, outputs in widths for column in WIDTH_COLUMNS]
        writer.writerow([*first, *numbers, *cells, *about])
    return file.getvalue()


def safe(text: str) -> str:
    """A text that no spreadsheet takes for a formula: an apostrophe before it (OWASP, CSV injection)."""
    return f"'{text}" if text.startswith(FORMULA) else text


def _cell(value: object) -> object:
    return safe(value) if isinstance(value, str) else value
