"""Experiments without the training pairs behind a bad output of an evaluation."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from demo.requests.checks import RequestError
from demo.service.context import AppContext
from demo.service.evaluation.jobs import Evaluations
from demo.service.evaluation.request import EvaluateRequest, requested_systems
from demo.service.jobs import JobStage
from demo.service.training.training import TrainingService
from demo.tabs.evaluate.retraining import can_retrain, on_behind, on_end, on_experiment, on_retrain
from demo.tabs.evaluate.server_functions import on_outline
from models.evaluation.segments import segments_of_pairs
from models.registry.registry import Registry
from models.training.launch.limits import TrainingLimits
from models.training.runs.collection import Runs
from models.training.runs.request import new_token
from tests.demo.service.evaluation.test_retraining import PAIRS, DeferredLauncher
from tests.refusals import refused
from tests.waiting import wait

REQUEST = EvaluateRequest(
    requested_systems(["letters"], [{"strategy": "greedy"}], 12),
    segments_of_pairs([("hola amigo", "hello amigo")]),
    tuple(PAIRS),
)


@pytest.fixture
def launcher(tmp_path: Path) -> DeferredLauncher:
    return DeferredLauncher(Runs(tmp_path / "runs"), TrainingLimits(root=tmp_path / "runs"))


@pytest.fixture
def server(root: Path, launcher: DeferredLauncher) -> AppContext:
    training = TrainingService(launcher.runs, launcher, launcher.limits)
    return AppContext(Registry(root, training.checkpoint_folder), "cpu", training=training)


@pytest.fixture
def jobs(server: AppContext) -> Evaluations:
    return Evaluations(server)


def evaluated(jobs: Evaluations, request: EvaluateRequest = REQUEST) -> dict[str, Any]:
    """The data that the page sends about an output of a finished evaluation."""
    key = jobs.begin(request)
    wait(lambda: (status := jobs.status(key)) is not None and status.stage is JobStage.DONE)
    return {"key": key, "line": 1, "system": "letters"}


def test_proposed_pairs_are_listed_with_their_evidence(server: AppContext, jobs: Evaluations) -> None:
    result = on_behind(server, jobs, evaluated(jobs))
    assert result["looked_at"] == len(PAIRS)
    assert {(row["source"], row["target"]) for row in result["rows"]} <= set(PAIRS)
    assert any("hola" in row["evidence"] or "away" in row["evidence"] for row in result["rows"])


@pytest.mark.slow
def test_an_experiment_begins_continues_and_reports_the_outputs(
    server: AppContext, jobs: Evaluations, launcher: DeferredLauncher
) -> None:
    request_data = {**evaluated(jobs), "dropped": [0, 2]}
    begun = on_retrain(server, jobs, request_data, new_token())
    assert begun["key"] == request_data["key"]
    assert on_experiment(server, jobs, begun)["active"] is True
    launcher.work(begun["run"])
    done = on_experiment(server, jobs, begun)
    assert (done["active"], done["share"]) == (False, 1)
    assert done["sentences"]


def test_an_experiment_is_stopped(server: AppContext, jobs: Evaluations, launcher: DeferredLauncher) -> None:
    begun = on_retrain(server, jobs, {**evaluated(jobs), "dropped": [0]}, new_token())
    on_end(server, jobs, begun)
    launcher.work(begun["run"])
    assert on_experiment(server, jobs, begun)["sentences"] == []


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"key": "gone"}, "evaluation_gone"),
        ({"line": 7}, "no_such_output"),
        ({"system": "<b>"}, "no_such_output"),
        ({"system": None, "line": None}, "no_such_output"),
    ],
)
def test_an_unknown_output_is_refused(
    server: AppContext, jobs: Evaluations, changed: dict[str, Any], code: str
) -> None:
    with refused(RequestError, code):
        on_behind(server, jobs, {**evaluated(jobs), **changed})


@pytest.mark.parametrize("dropped", [None, "0", [0.5], [True], [], {"0": 0}])
def test_an_invalid_choice_of_pairs_is_refused(server: AppContext, jobs: Evaluations, dropped: Any) -> None:
    with refused(RequestError, "no_change_chosen"):
        on_retrain(server, jobs, {**evaluated(jobs), "dropped": dropped}, new_token())


def test_without_training_pairs_no_experiment_is_offered(
    server: AppContext, context: AppContext, jobs: Evaluations
) -> None:
    assert can_retrain(server, REQUEST)
    assert not can_retrain(server, replace(REQUEST, training=()))
    assert not can_retrain(context, REQUEST)  # a server that does not train
    assert on_outline(server, jobs, evaluated(jobs))["retrains"] is True
    with refused(RequestError, "training_pairs_missing"):
        on_behind(server, jobs, evaluated(jobs, replace(REQUEST, training=())))
