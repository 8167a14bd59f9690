"""The calibration of a model: whether its probabilities say how often it is right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from demo.evaluate.parts.part import SYSTEM_COLOURS, EvaluationPart, chart, choose_system
from demo.i18n import later, say
from demo.i18n.display import number_text, percent_text, whole_percent_text
from demo.widgets.answers.content import Cell, Chart, Content, Controls, Table
from demo.widgets.figures.drawing import bar_trace, scatter_trace
from demo.widgets.figures.figure import LIGHT, Figure

if TYPE_CHECKING:
    from models.evaluation.report.evaluation_report import EvaluationReport
    from models.evaluation.text_scores import Calibration


def compute(report: EvaluationReport, controls: Controls) -> Content:
    """A reliability diagram of one system (Guo et al. 2017)."""
    system = choose_system([system for system in report.systems if system.calibration], controls)
    calibration = system.calibration
    assert calibration is not None
    rows: list[list[Cell]] = [
        [
            f"{number_text(100 * group.low, 0)}–{whole_percent_text(group.high)}",
            group.count,
            percent_text(group.confidence),
            percent_text(group.accuracy),
        ]
        for group in calibration.bins
    ]
    heads = [say("probability of the most probable token"), say("tokens"), say("mean"), say("right")]
    gap = calibration.confidence - calibration.accuracy
    too_sure = later("{system} is surer than it should be: mean probability {confidence}, right {accuracy}.")
    too_unsure = later(
        "{system} is less sure than it could be: mean probability {confidence}, right {accuracy}."
    )
    values = {
        "system": system.name,
        "confidence": percent_text(calibration.confidence),
        "accuracy": percent_text(calibration.accuracy),
    }
    return Content(
        [
            say(too_sure if gap > 0 else too_unsure, **values),
            say(
                "Expected calibration error: {error} points, the mean distance of the bars from the "
                "diagonal. A token counts as right where it is the reference's, so another right word counts "
                "as wrong.",
                error=number_text(100 * calibration.error, 1),
            ),
        ],
        [Chart("calibration", system.name, calibration_figure(calibration))],
        Table(heads, rows),
    )


def calibration_figure(calibration: Calibration) -> Figure:
    """The share of right tokens in each bin of probability; a calibrated model's bars end on the diagonal."""
    groups = calibration.bins
    bars = bar_trace(
        x=[(group.low + group.high) / 2 for group in groups],
        width=[group.high - group.low for group in groups],
        y=[group.accuracy for group in groups],
        marker={"color": SYSTEM_COLOURS[0], "line": {"color": LIGHT.surface, "width": 1}},
        customdata=[group.count for group in groups],
        hover="%{y:.0%} (n = %{customdata})",
    )
    diagonal = scatter_trace(
        "lines", x=[0, 1], y=[0, 1], line={"color": LIGHT.muted, "dash": "dot"}, hoverinfo="skip"
    )
    share = {"range": [0, 1.02], "tickformat": ".0%"}
    return chart(
        [bars, diagonal],
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
    compute,
    lambda report: any(system.calibration for system in report.systems),
)
