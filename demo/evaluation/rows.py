"""The rows of a report for the browser, which sorts and filters them by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from demo.evaluation.part import Report
from demo.service.comparison.word_diff import split_words, word_diff


def rows_payload(report: Report) -> dict[str, Any]:
    """Each row as a list, in the order of `columns`; causes by name, said once."""
    names = [system["name"] for system in report["systems"]]
    causes = {
        cause["name"]: {"title": cause["title"], "knob": cause["knob"]}
        for system in report["systems"]
        for cause in (system.get("triage") or {"causes": []})["causes"]
    }
    return {
        "names": names,
        "causes": causes,
        "scores": list(report["rows"][0]["scores"]),
        "rows": [
            {
                "line": row["line"],
                "source": row["source"],
                "references": row["references"],
                "scores": list(row["scores"].values()),
                "cells": [_cell(row["systems"][name], row["references"]) for name in names],
            }
            for row in report["rows"]
        ],
    }


def _cell(cell: Mapping[str, Any], references: list[str]) -> dict[str, Any]:
    """What a system made of it, word by word against the first reference."""
    diff = word_diff(split_words(references[0]), split_words(cell["output"]))
    pieces: list[list[str]] = []  # runs of one kind: s(ame), c(hanged), a(dded), m(issing)
    for piece in diff:
        kind, text = piece.kind[0], piece.text
        if pieces and pieces[-1][0] == kind:
            pieces[-1][1] += text
        else:
            pieces.append([kind, text])
    kept = ("output", "chrf", "log_prob", "score", "reference_score", "doubt", "cause", "evidence")
    return {**{name: cell[name] for name in kept if name in cell}, "diff": pieces}
