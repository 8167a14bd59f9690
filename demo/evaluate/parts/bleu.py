"""BLEU of the test set in its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from demo.evaluate.parts.part import SYSTEM_COLOURS, EvaluationPart, chart, choose_system
from demo.i18n import later, listed, say
from demo.i18n.display import number_text
from demo.widgets.answers.content import Cell, Chart, Content, Controls, LinkCell, Table
from demo.widgets.figures.drawing import bar_trace
from demo.widgets.figures.figure import Figure

if TYPE_CHECKING:
    from models.evaluation.report.evaluation_report import BleuParts, EvaluationReport, SystemReport


def compute(report: EvaluationReport, controls: Controls) -> Content:
    """Precisions, brevity penalty, and the mean of the sentences' BLEU for comparison."""
    system = choose_system(report.systems, controls)
    bleu = system.bleu
    rows: list[list[Cell]] = [
        [say("{n}-grams", n=order.n), order.matched, order.total, f"{number_text(order.precision, 1)}%"]
        for order in bleu.orders
    ]
    heads = [say("n-grams"), say("matched"), say("in the outputs"), say("precision")]
    return Content(
        [
            _finding(system),
            say(
                "Brevity penalty {penalty}: the outputs have {length} tokens, the references {wanted}.",
                penalty=number_text(bleu.brevity_penalty, 3),
                length=f"{bleu.length:,}",
                wanted=f"{bleu.reference_length:,}",
            ),
            say(
                "The mean of the sentences' own BLEU would be {mean}. It is another number: the corpus "
                "adds up n-grams first, and a sentence without a match of four words has next to nothing by "
                "itself.",
                mean=number_text(bleu.mean_of_sentences, 1),
            ),
            _signatures(report),
        ],
        [Chart("precisions", say("Precision by length of the n-grams"), precisions_figure(bleu))],
        Table([*heads[:-1], LinkCell(heads[-1], "tab=learn&lab=bleu")], rows),
    )


def _signatures(report: EvaluationReport) -> str:
    signatures = [
        f"{score.name} {score.signature}" for score in report.systems[0].metric_scores if score.signature
    ]
    return say("Signatures, which make figures comparable with those of papers: {signatures}.").format(
        signatures="; ".join(signatures)
    )


def precisions_figure(bleu: BleuParts) -> Figure:
    """A bar for each length of n-grams."""
    bars = bar_trace(
        x=[str(order.n) for order in bleu.orders],
        y=[order.precision for order in bleu.orders],
        marker={"color": SYSTEM_COLOURS[0]},
        hover="%{y:.1f}%",
    )
    return chart(
        [bars],
        260,
        xaxis={"type": "category", "title": {"text": "n"}, "showgrid": False},
        yaxis={"range": [0, 100], "ticksuffix": "%"},
        showlegend=False,
    )


def _finding(system: SystemReport) -> str:
    precisions = listed(number_text(order.precision, 1) for order in system.bleu.orders)
    return say(
        "BLEU of {system} is {score}: the geometric mean of the precisions {precisions}, times the "
        "brevity penalty.",
        system=system.name,
        score=number_text(system.bleu.score, 1),
        precisions=precisions,
    )


PART = EvaluationPart("bleu", later("BLEU in parts"), later("What is BLEU made of here?"), 70, compute)
