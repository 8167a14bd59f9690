"""BLEU of the test set in its parts."""

from __future__ import annotations

from demo.answers.content import Chart, Linked, Shown, Table
from demo.answers.controls import Chosen
from demo.evaluation.part import COLOURS, NARROW, EvaluationPart, Report, chart, chosen_system
from demo.figures.figure import Figure
from demo.i18n import later, listed, say
from demo.i18n.display import number_text


def look(report: Report, chosen: Chosen) -> Shown:
    """Precisions, brevity penalty, and what the mean of sentences would be."""
    system = chosen_system(report, chosen)
    found = system["bleu"]
    rows = [
        [
            say("{n}-grams", n=each["n"]),
            each["matched"],
            each["total"],
            f"{number_text(each['precision'], 1)}%",
        ]
        for each in found["orders"]
    ]
    heads = [say("n-grams"), say("matched"), say("in the outputs"), say("precision")]
    return Shown(
        [
            _finding(system),
            say(
                "Brevity penalty {penalty}: the outputs have {length} tokens, the references {wanted}.",
                penalty=number_text(found["brevity_penalty"], 3),
                length=f"{found['length']:,}",
                wanted=f"{found['reference_length']:,}",
            ),
            say(
                "The mean of the sentences' own BLEU would be {mean}. It is another number: the "
                "corpus adds up "
                "n-grams first, and a sentence without a match of four words has next to nothing by itself.",
                mean=number_text(found["mean_of_sentences"], 1),
            ),
        ],
        [Chart("precisions", say("Precision by length of the n-grams"), precisions_figure(found))],
        Table([*heads[:-1], Linked(heads[-1], "tab=learn&lab=bleu")], rows),
        {"BLEU": found["score"]},
    )


def precisions_figure(found: Report) -> Figure:
    """A bar for each length."""
    bars = {
        "type": "bar",
        "x": [str(each["n"]) for each in found["orders"]],
        "y": [each["precision"] for each in found["orders"]],
        "marker": {"color": COLOURS[0]},
        "hovertemplate": "%{y:.1f}%<extra></extra>",
    }
    return chart(
        [bars],
        NARROW,
        260,
        xaxis={"type": "category", "title": {"text": "n"}, "showgrid": False},
        yaxis={"range": [0, 100], "ticksuffix": "%"},
        showlegend=False,
    )


def _finding(system: Report) -> str:
    found = system["bleu"]
    precisions = listed(number_text(each["precision"], 1) for each in found["orders"])
    return say(
        "BLEU of {system} is {score}: the geometric mean of the precisions {precisions}, times the "
        "brevity penalty.",
        system=system["name"],
        score=number_text(found["score"], 1),
        precisions=precisions,
    )


PART = EvaluationPart(
    "bleu",
    later("BLEU in parts"),
    later("What is BLEU made of here?"),
    70,
    look,
)
