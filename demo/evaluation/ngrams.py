"""Words that a system writes too often or too rarely."""

from __future__ import annotations

from demo.answers.content import Cell, Shown, Table
from demo.answers.controls import Chosen
from demo.evaluation.part import EvaluationPart, Report, chosen_system
from demo.i18n import later, listed, quoted, say

MOST = 25  # of each kind


def look(report: Report, chosen: Chosen) -> Shown:
    """What outputs have more often than references, and the other way round."""
    system = chosen_system(report, chosen)
    orders = list(system["ngrams"])
    order = chosen.choose("order", say("words in a row"), [(each, each) for each in orders])
    found = system["ngrams"][order]
    rows: list[list[Cell]] = []
    for kind, title in (("over", say("too often")), ("under", say("too rarely"))):
        for each in found[kind][:MOST]:
            line = report["rows"][each["example"]]["line"]
            words = " ".join(each["words"])
            rows.append([words, title, each["surplus"], each["lack"], each["matched"], line])
    heads = [
        say("words"),
        say("how often"),
        say("more than the reference"),
        say("fewer than the reference"),
        say("as in the reference"),
        say("for example line"),
    ]
    return Shown([_finding(system, found)], table=Table(heads, rows))


def _finding(system: Report, found: Report) -> str:
    parts = []
    if found["over"]:
        parts.append(say("above all {words} too often", words=quoted(" ".join(found["over"][0]["words"]))))
    if found["under"]:
        parts.append(say("above all {words} too rarely", words=quoted(" ".join(found["under"][0]["words"]))))
    if not parts:
        return say("{system} writes no words too often or too rarely.", system=system["name"])
    return say("{system} writes {findings}.", system=system["name"], findings=listed(parts))


PART = EvaluationPart(
    "ngrams",
    later("Words"),
    later("Which words are written too often, and which too rarely?"),
    60,
    look,
)
