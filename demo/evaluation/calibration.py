"""Whether a model knows when it is right."""

from __future__ import annotations

from demo.answers.content import Chart, Shown, Table
from demo.answers.controls import Chosen
from demo.evaluation.part import COLOURS, NARROW, EvaluationPart, Report, chart, chosen_system
from demo.figures.figure import Figure
from demo.figures.palette import LIGHT
from demo.i18n import later, say
from demo.i18n.display import number_text, percent_text


def look(report: Report, chosen: Chosen) -> Shown:
    """A reliability diagram of one system (Guo et al. 2017)."""
    system = chosen_system(report, chosen, "calibration")
    found = system["calibration"]
    rows = [
        [
            f"{100 * one['low']:.0f}–{100 * one['high']:.0f}%",
            one["count"],
            percent_text(one["confidence"]),
            percent_text(one["accuracy"]),
        ]
        for one in found["bins"]
    ]
    heads = [say("probability of the most probable token"), say("tokens"), say("mean"), say("right")]
    gap = found["confidence"] - found["accuracy"]
    too_sure = later("{system} is surer than it should be: mean probability {confidence}, right {accuracy}.")
    too_unsure = later(
        "{system} is less sure than it could be: mean probability {confidence}, right {accuracy}."
    )
    values = {
        "system": system["name"],
        "confidence": percent_text(found["confidence"]),
        "accuracy": percent_text(found["accuracy"]),
    }
    return Shown(
        [
            say(too_sure if gap > 0 else too_unsure, **values),
            say(
                "Expected calibration error: {error} points, the mean distance of the bars from "
                "the diagonal. A "
                "token counts as right where it is the reference's, so another right word counts as wrong.",
                error=number_text(100 * found["error"], 1),
            ),
        ],
        [Chart("calibration", system["name"], calibration_figure(found))],
        Table(heads, rows),
        {"error": found["error"]},
    )


def calibration_figure(found: Report) -> Figure:
    """How often tokens of a probability are right; on the diagonal a model would know."""
    bins = found["bins"]
    bars = {
        "type": "bar",
        "x": [(one["low"] + one["high"]) / 2 for one in bins],
        "width": [one["high"] - one["low"] for one in bins],
        "y": [one["accuracy"] for one in bins],
        "marker": {"color": COLOURS[0], "line": {"color": LIGHT.surface, "width": 1}},
        "customdata": [one["count"] for one in bins],
        "hovertemplate": "%{y:.0%} (n = %{customdata})<extra></extra>",
    }
    diagonal = {
        "type": "scatter",
        "mode": "lines",
        "x": [0, 1],
        "y": [0, 1],
        "line": {"color": LIGHT.muted, "dash": "dot"},
        "hoverinfo": "skip",
    }
    share = {"range": [0, 1.02], "tickformat": ".0%"}
    return chart(
        [bars, diagonal],
        NARROW,
        330,
        xaxis={**share, "title": {"text": say("probability of the token")}},
        yaxis={**share, "title": {"text": say("how often it is right")}},
        showlegend=False,
    )


PART = EvaluationPart(
    "calibration",
    later("Calibration"),
    later("Does the model know when it is right?"),
    50,
    look,
    lambda report: any(each["calibration"] for each in report["systems"]),
)
