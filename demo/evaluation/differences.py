"""Which system is better, and whether that is more than chance."""

from __future__ import annotations

from collections.abc import Sequence

from demo.answers.content import Chart, Shown, Table
from demo.answers.controls import Chosen
from demo.evaluation.part import COLOURS, NARROW, ROW, EvaluationPart, Report, chart, interval_text, whiskers
from demo.figures.figure import Figure
from demo.i18n import later, say
from demo.i18n.display import number_text

LEAD = "chrF"
NO_NUMBERS = ("perplexity",)  # whose scale would make all others invisible


def look(report: Report, chosen: Chosen) -> Shown:
    """Of two systems every metric's difference."""
    pairs = list(dict.fromkeys((each["a"], each["b"]) for each in report["differences"]))
    place = 0
    if len(pairs) > 1:
        options = [(str(at), f"{a} − {b}") for at, (a, b) in enumerate(pairs)]
        place = int(chosen.choose("pair", say("two systems"), options))
    a, b = pairs[place]
    found = [each for each in report["differences"] if (each["a"], each["b"]) == (a, b)]
    rows = [
        [
            say(each["metric"]),
            interval_text(each, 2),
            number_text(each["bootstrap_p"], 4),
            number_text(each["randomisation_p"], 4),
            say("yes") if each["significant"] else say("no"),
        ]
        for each in found
    ]
    heads = [
        say("metric"),
        f"{a} − {b}",
        say("p, paired bootstrap"),
        say("p, approximate randomisation"),
        say("more than chance?"),
    ]
    return Shown(
        [
            difference_sentence(a, b, found),
            say(
                "p is how often chance alone would give as large a difference. Below 0.05 by approximate "
                "randomisation it counts as more than chance; the bootstrap draws other test sets "
                "like this one."
            ),
        ],
        [Chart("differences", f"{a} − {b}", differences_figure(found))],
        Table(heads, rows),
    )


def differences_figure(found: Sequence[Report]) -> Figure:
    """Points with whiskers about zero."""
    shown = [each for each in found if each["metric"] not in NO_NUMBERS]
    trace = {
        "type": "scatter",
        "mode": "markers",
        "x": [each["value"] for each in shown],
        "y": list(range(len(shown))),
        "marker": {"color": COLOURS[0], "size": 10},
        **whiskers(shown, "x"),
        "hovertemplate": "%{x:+.2f}<extra></extra>",
    }
    yaxis = {"tickvals": list(range(len(shown))), "ticktext": [say(each["metric"]) for each in shown]}
    yaxis |= {"range": [len(shown) - 0.5, -0.5], "showgrid": False, "zeroline": False}
    return chart([trace], NARROW, 70 + ROW * len(shown), yaxis=yaxis, showlegend=False)


def difference_sentence(a: str, b: str, found: Sequence[Report]) -> str:
    """Which of two is better by chrF, and whether that may be chance."""
    lead = next(each for each in found if each["metric"] == LEAD)
    better, worse = (a, b) if lead["value"] > 0 else (b, a)
    values = {"points": number_text(abs(lead["value"]), 2), "p": number_text(lead["randomisation_p"], 4)}
    if lead["significant"]:
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
    look,
    lambda report: bool(report["differences"]),
)
