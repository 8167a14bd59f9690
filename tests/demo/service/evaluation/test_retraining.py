"""Remove and retrain for the page: pairs are proposed, an experiment is a run, and its result comes back."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from demo.requests.checks import RequestError
from demo.service.context import AppContext
from demo.service.decoding.watch import Watch
from demo.service.evaluation.retraining import (
    ExperimentStatus,
    WrongText,
    experiment_status,
    origin,
    propose,
    start,
)
from demo.service.training.report_cache import RunReports
from demo.service.training.training import TrainingService
from demo.tabs.training.choices import run_choices
from demo.tabs.training.run_handlers import on_poll
from demo.views.training.run.payload import run_payload
from models.corpus.pairs import DataError
from models.registry.name import UnknownCheckpointError
from models.registry.registry import Registry
from models.training.launch.child_process import ProcessLauncher
from models.training.launch.limits import TrainingLimits
from models.training.launch.worker import StopSigns, Worker
from models.training.runs.collection import RunError, Runs, UnknownRunError
from models.training.runs.request import new_token
from models.training.runs.run_folder import Run
from models.training.runs.status import RunState
from models.training.runs.work import STOPPED_EXPERIMENT
from models.training.runs.writer import RunWriter
from tests.demo.conftest import LETTERS
from tests.fakes.training.processes import request
from tests.refusals import Refusal, refused

PAIRS = [(f"hola {name}", f"hello {name}") for name in ("amigo", "luego", "mango", "sal", "mesa", "lima")]
WRONG = WrongText(LETTERS, PAIRS, "hola amigo", "hello mango", "hello amigo")
SOME = (0, 2)


class DeferredLauncher(ProcessLauncher):
    """A launcher whose runs start on request of a test, in this process."""

    def _begin(self, run: Run) -> None:
        pass

    def work(self, run_id: str) -> None:
        with RunWriter(self.runs.find(run_id)) as writer:
            Worker(writer).work()


@pytest.fixture
def launcher(tmp_path: Path) -> DeferredLauncher:
    return DeferredLauncher(Runs(tmp_path / "runs"), TrainingLimits(root=tmp_path / "runs"))


@pytest.fixture
def context(root: Path, launcher: DeferredLauncher) -> AppContext:
    training = TrainingService(launcher.runs, launcher, launcher.limits)
    return AppContext(Registry(root, training.checkpoint_folder), "cpu", training=training)


def test_pairs_are_proposed_as_plain_json(context: AppContext) -> None:
    result = propose(context, WRONG, most=3)
    assert json.loads(json.dumps(result)) == result
    assert (result["looked_at"], result["note"]) == (6, "")
    assert {row["place"] for row in result["rows"]} >= {0, 2}
    assert result["rows"][0]["source"] == PAIRS[result["rows"][0]["place"]][0]


def test_an_experiment_waits_in_line_runs_and_can_be_read(
    context: AppContext, launcher: DeferredLauncher
) -> None:
    token = new_token()
    run_id = start(context, token, WRONG, SOME, 2)
    waiting = experiment_status(context, run_id)
    assert waiting == ExperimentStatus(RunState.QUEUED, waiting.message, 0.0, None, None, [])
    with refused(RunError, "one_run_each"):
        start(context, token, WRONG, SOME, 2)
    launcher.work(run_id)
    done = experiment_status(context, run_id)
    assert (done.state, done.share, done.seconds_left) == (RunState.FINISHED, 1.0, None), done.message
    result = done.result
    assert result is not None
    assert (result["wanted"], result["pairs"], result["dropped"], result["steps"]) == ("hello amigo", 5, 2, 2)
    assert result["others"]["pairs"] == 1  # one of six pairs
    assert len(done.sentences) == 2


def test_an_experiment_is_listed_in_the_training_tab_without_curves(
    context: AppContext, launcher: DeferredLauncher
) -> None:
    token = new_token()
    run_id = start(context, token, WRONG, SOME, 2)
    runs, behind = run_choices(context, token, None)
    assert runs["value"] == run_id
    assert behind["choices"] == []
    launcher.work(run_id)
    report, timer, compare, _, _, *pickers = on_poll(context, RunReports(launcher.runs), token, run_id, [])
    assert not timer.active
    assert not compare.visible
    assert run_id not in {name for picker in pickers for _, name in picker["choices"]}
    payload: dict[str, Any] = json.loads(run_payload(report))
    assert (payload["work"], payload["title"]) == ("retraining", "letters: hola amigo")
    status = payload["status"]
    assert (status["progress"], status["share"], status["advice"]) == ("step 4 of 4", 1.0, "")
    assert status["recipe"] == [
        "remove and retrain",
        "fine-tuned from letters",
        "2 of 5 pairs left out, 2 steps with and without",
    ]
    assert len(status["notices"]) == 2


def test_a_stopped_experiment_announces_that_resuming_starts_over(
    context: AppContext, launcher: DeferredLauncher, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = start(context, new_token(), WRONG, SOME, 2)
    answers = iter([False, False, False])  # while it waits, and after two steps
    monkeypatch.setattr(StopSigns, "__call__", lambda _: next(answers, True))
    launcher.work(run_id)
    status = experiment_status(context, run_id)
    assert (status.state, status.message, status.share) == (RunState.STOPPED, STOPPED_EXPERIMENT, 0.5)
    assert status.state.can_resume
    assert status.result is None


def test_both_arms_start_from_the_original_of_the_checkpoint(
    context: AppContext, launcher: DeferredLauncher
) -> None:
    assert origin(context, LETTERS) == LETTERS
    assert origin(context, f"{LETTERS}@int8") == LETTERS
    tuned = launcher.runs.create(replace(request(), start=LETTERS))
    assert origin(context, tuned.id) == LETTERS
    gone = launcher.runs.create(replace(request(), start="gone"))
    assert origin(context, gone.id) == gone.id


@pytest.mark.parametrize(
    ("wrong", "dropped", "steps", "error", "refusal"),
    [
        (WRONG, (), 2, RequestError, ("no_change_chosen",)),
        (WRONG, (6,), 2, DataError, ("no_such_training_pair", "6", "7")),
        (WRONG, (-1,), 2, DataError, ("no_such_training_pair", "0")),
        (WRONG, SOME, 0, DataError, ("not_whole_within", "steps")),
        (
            replace(WRONG, checkpoint="nobody"),
            SOME,
            2,
            UnknownCheckpointError,
            ("no_such_checkpoint", "nobody"),
        ),
        (replace(WRONG, wanted_output=" "), SOME, 2, RequestError, ("side_empty", "wanted text")),
        (replace(WRONG, source="a" * 9000), SOME, 2, RequestError, ("too_many_characters", "9,000")),
        (
            replace(WRONG, pairs=PAIRS * 4000),
            SOME,
            2,
            RequestError,
            ("too_many_training_pairs", "24,000", "20,000"),
        ),
    ],
)
def test_an_invalid_experiment_is_refused(
    context: AppContext,
    wrong: WrongText,
    dropped: tuple[int, ...],
    steps: int,
    error: type[Exception],
    refusal: Refusal,
) -> None:
    with refused(error, *refusal):
        start(context, new_token(), wrong, dropped, steps)
    assert context.training is not None
    assert context.training.runs.active() == ()


def test_a_status_needs_an_experiment_and_a_server_that_trains(
    context: AppContext, root: Path, launcher: DeferredLauncher
) -> None:
    with refused(UnknownRunError, "no_such_run"):
        experiment_status(context, "../../etc")
    with refused(UnknownRunError, "no_such_experiment"):
        experiment_status(context, launcher.runs.create(request()).id)
    with refused(RequestError, "training_is_off"):
        start(AppContext(Registry(root), "cpu"), new_token(), WRONG, SOME, 2)
    with refused(RequestError, "visitor_not_told"):
        start(context, "", WRONG, SOME, 2)


def test_a_visitor_who_leaves_ends_the_search(context: AppContext) -> None:
    watch = Watch()
    watch.cancelled.set()
    with refused(RequestError, "pair_search_stopped"):
        propose(context, WRONG, watch=watch)
