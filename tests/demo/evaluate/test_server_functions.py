"""The server functions of the view of an evaluation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from demo.evaluate.view.component import on_file, on_outline, on_part, on_progress, on_widen
from demo.evaluate.work.request import EvaluateRequest, allowed_widths, requested_systems
from demo.evaluate.work.run import Evaluations
from demo.i18n import in_language
from demo.work.context import AppContext
from demo.work.jobs import JobStage
from demo.work.requests.checks import RequestError
from models.evaluation.segments import segments_of_pairs
from tests.messages import says
from tests.refusals import refused
from tests.waiting import wait

PAIRS = (("hola amigo", "hello friend"), ("=1+1", "<script>alert(1)</script>"))


@pytest.fixture
def jobs(context: AppContext) -> Evaluations:
    return Evaluations(context)


@pytest.fixture
def done(jobs: Evaluations) -> dict[str, str]:
    """The data that the page sends about a finished evaluation."""
    strategies = [{"strategy": "greedy"}, {"strategy": "beam", "beam_size": 2}]
    key = jobs.begin(EvaluateRequest(requested_systems(["words"], strategies, 12), segments_of_pairs(PAIRS)))
    wait(lambda: (status := jobs.status(key)) is not None and status.stage is JobStage.DONE)
    return {"key": key}


@pytest.mark.slow
def test_progress_names_the_stage(context: AppContext, jobs: Evaluations, done: dict[str, str]) -> None:
    assert on_progress(context, jobs, done)["stage"] == "done"


@pytest.mark.parametrize("data", [None, {}, {"key": 3}, {"key": "nothing of the kind"}, "words", []])
def test_a_forgotten_evaluation_is_reported_as_gone(
    context: AppContext, jobs: Evaluations, data: Any
) -> None:
    answer = on_progress(context, jobs, data)
    assert answer["stage"] == "gone"
    assert "Press Evaluate" in answer["message"]
    with refused(RequestError, "evaluation_gone"):
        on_outline(context, jobs, data)
    with refused(RequestError, "evaluation_gone"):
        on_widen(context, jobs, data)
    assert says(on_part(context, jobs, data)["refused"], "evaluation_gone")


def test_the_outline_has_parts_rows_and_the_links_of_a_row(
    context: AppContext, jobs: Evaluations, done: dict[str, str]
) -> None:
    with in_language("es"):
        answer = on_outline(context, jobs, done)
    names = [name for name, *_ in answer["parts"]]
    assert names[:2] == ["figures", "differences"]
    assert "changes" not in names
    assert len(answer["rows"]["rows"]) == 2
    assert [system["checkpoint"] for system in answer["systems"]] == ["words", "words"]
    assert [system["settings"]["beam_size"] for system in answer["systems"]] == [4, 2]


def test_beam_widths_are_measured_on_demand_and_added_to_the_report(
    context: AppContext, jobs: Evaluations, done: dict[str, str]
) -> None:
    request_data = {"part": "widths"}
    assert on_part(context, jobs, {**done, **request_data})["offer"]
    wider = on_widen(context, jobs, done)
    wait(lambda: (status := jobs.status(wider["key"])) is not None and status.stage is JobStage.DONE)
    with in_language("es"):
        answer = on_part(context, jobs, {**wider, **request_data})
    assert not answer["offer"]
    assert [row[0] for row in answer["table"]["rows"]] == list(map(str, allowed_widths()))
    before, after = jobs.find(done["key"]).result, jobs.find(wider["key"]).result
    assert before is not None
    assert after is not None
    assert after == replace(before, width_curves=after.width_curves)  # times included: nothing ran again
    assert on_widen(context, jobs, done) == wider


def test_a_part_answers_in_the_language_of_the_request(
    context: AppContext, jobs: Evaluations, done: dict[str, str]
) -> None:
    request_data = {**done, "part": "figures"}
    english = on_part(context, jobs, request_data)
    with in_language("zh"):
        chinese = on_part(context, jobs, request_data)
    assert english["sentences"] != chinese["sentences"]
    assert english["charts"][0]["data"][0]["x"] == chinese["charts"][0]["data"][0]["x"]


@pytest.mark.slow
@pytest.mark.parametrize("part", [None, "nothing", 3, "changes"])
def test_an_unknown_part_is_refused(
    context: AppContext, jobs: Evaluations, done: dict[str, str], part: Any
) -> None:
    assert says(on_part(context, jobs, {**done, "part": part})["refused"], "no_such_report_part")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["html", "json", "csv"])
def test_a_file_has_the_report_and_no_formula_or_script(
    context: AppContext, jobs: Evaluations, done: dict[str, str], kind: str
) -> None:
    file = on_file(context, jobs, {**done, "kind": kind})
    assert file["name"] == f"unrolled-evaluation.{kind}"
    assert "hola amigo" in file["text"]
    assert kind != "html" or "<script>alert" not in file["text"]
    assert kind != "csv" or "'=1+1" in file["text"]
    with refused(RequestError, "no_such_report_file"):
        on_file(context, jobs, {**done, "kind": "exe"})
    with refused(RequestError, "no_such_report_file"):
        on_file(context, jobs, {**done, "kind": [kind]})
