"""The differences between two systems, and whether they are more than chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from demo.evaluate.parts.part import (
    ROW_HEIGHT,
    SYSTEM_COLOURS,
    EvaluationPart,
    chart,
    choose_index,
    interval_text,
    whiskers,
)
from demo.i18n import later, say
from demo.i18n.display import number_text
from demo.widgets.answers.content import Chart, Content, Controls, Table
from demo.widgets.figures.drawing import plain_axis, scatter_trace
from demo.widgets.figures.figure import Figure

if TYPE_CHECKING:
    from models.evaluation.report.evaluation_report import EvaluationReport, MetricDifference
    from models.metrics.significance import Difference

LEAD_METRIC = "chrF"
UNDRAWN_METRICS = ("perplexity",)  # metrics whose scale would make all others invisible


def compute(report: EvaluationReport, controls: Controls) -> Content:
    """The differences of two systems by every metric."""
    pairs = list(dict.fromkeys((difference.a, difference.b) for difference in report.differences))
    options = [(str(number), f"{a} − {b}") for number, (a, b) in enumerate(pairs)]
    a, b = pairs[choose_index(controls, "pair", say("two systems"), options)]
    differences = [difference for difference in report.differences if (difference.a, difference.b) == (a, b)]
    rows = [
        [
            say(difference.metric),
            interval_text(difference, 2),
            number_text(difference.bootstrap_p, 4),
            number_text(difference.randomisation_p, 4),
            say("yes") if difference.significant else say("no"),
        ]
        for difference in differences
    ]
    heads = [
        say("metric"),
        f"{a} − {b}",
        say("p, paired bootstrap"),
        say("p, approximate randomisation"),
        say("more than chance?"),
    ]
    lead = next(difference for difference in differences if difference.metric == LEAD_METRIC)
    return Content(
        [
            difference_sentence(a, b, lead),
            say(
                "p is how often chance alone would give as large a difference. Below 0.05 by approximate "
                "randomisation it counts as more than chance; the bootstrap draws other test sets like this "
                "one."
            ),
        ],
        [Chart("differences", f"{a} − {b}", differences_figure(differences))],
        Table(heads, rows),
    )


def differences_figure(differences: Sequence[MetricDifference]) -> Figure:
    """Points with whiskers about zero."""
    comparable = [difference for difference in differences if difference.metric not in UNDRAWN_METRICS]
    trace = scatter_trace(
        "markers",
        x=[difference.value for difference in comparable],
        y=list(range(len(comparable))),
        marker={"color": SYSTEM_COLOURS[0], "size": 10},
        **whiskers(comparable, "x"),
        hover="%{x:+.2f}",
    )
    names = [say(difference.metric) for difference in comparable]
    yaxis = {"tickvals": list(range(len(comparable))), "ticktext": names}
    yaxis |= plain_axis(range=[len(comparable) - 0.5, -0.5], showgrid=False)
    return chart([trace], 70 + ROW_HEIGHT * len(comparable), yaxis=yaxis, showlegend=False)


def difference_sentence(a: str, b: str, chrf: MetricDifference | Difference) -> str:
    """A sentence about the better of two systems by chrF, and whether the difference may be chance."""
    better, worse = (a, b) if chrf.value > 0 else (b, a)
    values = {"points": number_text(abs(chrf.value), 2), "p": number_text(chrf.randomisation_p, 4)}
    if chrf.significant:
        return say(
            "{better} is better than {worse} by {points} points of chrF, which is more than chance "
            "(p = {p}).",
            better=better,
            worse=worse,
            **values,
        )
    return say(
        "Between {a} and {b} chrF differs by {points} points, which may be chance (p = {p}).",
        a=a,
        b=b,
        **values,
    )


PART = EvaluationPart(
    "differences",
    later("Differences"),
    later("Is one system better than the other, or is that chance?"),
    20,
    compute,
    lambda report: bool(report.differences),
)
