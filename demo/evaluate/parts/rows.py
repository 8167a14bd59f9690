"""The rows of a report for the browser, which sorts and filters them by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from demo.widgets.answers.word_diff import split_words, word_diff
from models.evaluation.report.evaluation_report import BAD_BELOW_CHRF, REPORT_JSON_NAMES

if TYPE_CHECKING:
    from models.evaluation.report.evaluation_report import EvaluationReport, SegmentOutput

CELL_FIELDS = ("output", "chrf", "log_prob", "score", "reference_score", "mean_nll", "cause", "evidence")


def rows_payload(report: EvaluationReport) -> dict[str, Any]:
    """The rows with their scores as lists, and what is the same for all of them: names and causes."""
    return {
        "names": report.names,
        "causes": {
            name: {"title": cause.title, "remedy": cause.remedy} for name, cause in report.causes.items()
        },
        "badBelow": BAD_BELOW_CHRF,
        "scores": list(report.rows[0].scores),
        "rows": [
            {
                "line": row.line,
                "source": row.source,
                "references": row.references,
                "scores": list(row.scores.values()),
                "cells": [_cell(row.systems[name], row.references[0]) for name in report.names],
            }
            for row in report.rows
        ],
    }


def _cell(output: SegmentOutput, reference: str) -> dict[str, Any]:
    """The output of one system, and as `diff` its words beside those of the first reference."""
    diff = word_diff(split_words(reference), split_words(output.output))
    pieces: list[list[str]] = []  # runs of one kind: s(ame), c(hanged), a(dded), m(issing)
    for piece in diff:
        kind, text = piece.kind[0], piece.text
        if pieces and pieces[-1][0] == kind:
            pieces[-1][1] += text
        else:
            pieces.append([kind, text])
    values = {REPORT_JSON_NAMES.get(name, name): getattr(output, name) for name in CELL_FIELDS}
    return {**{name: value for name, value in values.items() if value is not None}, "diff": pieces}
