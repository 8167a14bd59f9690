"""Laws of all parts of an evaluation: every choice gives an answer that the page can show."""

from __future__ import annotations

import json
from typing import Any

import pytest

from demo.evaluate.parts import evaluation_parts
from demo.i18n import in_language
from demo.widgets.answers.content import Controls, as_sent
from demo.widgets.figures.figure import Figure
from models.evaluation.report.evaluation_report import EvaluationReport
from tests.demo.widgets.figures.figure_check import checked

PARTS = {part.name: part for part in evaluation_parts()}
every_part = pytest.mark.parametrize("name", PARTS)


def ask(report: EvaluationReport, name: str, **options: Any) -> dict[str, Any]:
    controls = Controls(options=options)
    answer = as_sent(PARTS[name].compute(report, controls), controls.controls)
    json.dumps(answer, allow_nan=False)  # as it is sent
    return answer


def check(answer: dict[str, Any]) -> None:
    assert all(sentence.strip() for sentence in answer["sentences"])
    assert answer["charts"] or answer["table"]
    for chart in answer["charts"]:
        checked(Figure(chart["data"], chart["layout"]))
        assert chart["title"]
        assert min(chart["layout"]["meta"]["min_width"], chart["layout"]["height"]) > 0
    table = answer["table"]
    assert table is None or all(len(row) == len(table["head"]) for row in table["rows"])


@pytest.mark.slow
@every_part
@pytest.mark.parametrize("code", ["en", "es", "zh"])
def test_every_value_of_every_control_has_an_answer(report: EvaluationReport, name: str, code: str) -> None:
    assert PARTS[name].applies(report)
    with in_language(code):
        answer = ask(report, name)
        check(answer)
        for control in answer["controls"]:
            for value in [*(value for value, _ in control["options"]), "nothing of the kind", 1e99, None]:
                check(ask(report, name, **{control["name"]: value}))


@every_part
def test_every_part_that_applies_to_one_segment_has_an_answer(alone: EvaluationReport, name: str) -> None:
    if PARTS[name].applies(alone):
        check(ask(alone, name))


@every_part
def test_every_part_that_applies_to_outputs_without_a_checkpoint_has_an_answer(
    outputs_alone: EvaluationReport, name: str
) -> None:
    if PARTS[name].applies(outputs_alone):
        check(ask(outputs_alone, name))


def test_the_figures_are_those_of_the_report(report: EvaluationReport) -> None:
    table = ask(report, "figures")["table"]
    for row, system in zip(table["rows"], report.systems, strict=True):
        figure = system.metric_scores[0]
        assert row[0] == system.name
        assert row[1] == f"{figure.value:.1f} [{figure.low:.1f},\u00a0{figure.high:.1f}]"


def test_omitted_segments_are_named(report: EvaluationReport) -> None:
    assert any("1 (in line 6)" in sentence for sentence in ask(report, "figures")["sentences"])


def test_shares_of_causes_fill_the_bar(report: EvaluationReport) -> None:
    (chart,) = ask(report, "causes")["charts"]
    totals = [sum(trace["x"][index] for trace in chart["data"]) for index in range(2)]
    assert totals == pytest.approx([100, 100])


def test_another_difference_can_be_chosen(report: EvaluationReport) -> None:
    first, last = ask(report, "differences"), ask(report, "differences", pair="2")
    assert first["table"]["head"][1] != last["table"]["head"][1]


def test_bleu_in_parts_is_the_bleu_of_the_figures(report: EvaluationReport) -> None:
    system = report.systems[2]  # the column of outputs
    rows = ask(report, "bleu", system=system.name)["table"]["rows"]
    assert [row[1] for row in rows] == [order.matched for order in system.bleu.orders]
    assert system.bleu.score == pytest.approx(system.metric_scores[0].value, abs=1e-9)


def test_one_kind_of_change_shows_its_worst_outputs(report: EvaluationReport) -> None:
    kind = report.changes[0].kinds[0]
    rows = ask(report, "changes", change=kind.name)["table"]["rows"]
    assert [row[1] for row in rows] == [output.changed for output in kind.worst]
