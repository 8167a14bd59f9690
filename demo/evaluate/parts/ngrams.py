"""The words that a system writes too often or too rarely."""

from __future__ import annotations

from typing import TYPE_CHECKING

from demo.evaluate.parts.part import EvaluationPart, choose_system
from demo.i18n import later, listed, quoted, say
from demo.widgets.answers.content import Cell, Content, Controls, Table

if TYPE_CHECKING:
    from models.evaluation.breakdowns import NGramDifferences
    from models.evaluation.report.evaluation_report import EvaluationReport

MAX_ROWS = 25  # rows of each kind


def compute(report: EvaluationReport, controls: Controls) -> Content:
    """The words that outputs have more often than references, and those that they have more rarely."""
    system = choose_system(report.systems, controls)
    order = controls.choose("order", say("words in a row"), [(order, order) for order in system.ngrams])
    differences = system.ngrams[order]
    rows: list[list[Cell]] = []
    for ngrams, title in ((differences.over, say("too often")), (differences.under, say("too rarely"))):
        for ngram in ngrams[:MAX_ROWS]:
            line = report.rows[ngram.example].line
            rows.append([" ".join(ngram.words), title, ngram.surplus, ngram.lack, ngram.matched, line])
    heads = [
        say("words"),
        say("how often"),
        say("more than the reference"),
        say("fewer than the reference"),
        say("as in the reference"),
        say("for example line"),
    ]
    return Content([_finding(system.name, differences)], table=Table(heads, rows))


def _finding(system: str, differences: NGramDifferences) -> str:
    parts = []
    if differences.over:
        words = quoted(" ".join(differences.over[0].words))
        parts.append(say("in particular {words} too often", words=words))
    if differences.under:
        words = quoted(" ".join(differences.under[0].words))
        parts.append(say("in particular {words} too rarely", words=words))
    if not parts:
        return say("{system} writes no words too often or too rarely.", system=system)
    return say("{system} writes {findings}.", system=system, findings=listed(parts))


PART = EvaluationPart(
    "ngrams", later("Words"), later("Which words are written too often, and which too rarely?"), 60, compute
)
