"""Experiments as runs: the same result as in this process, queued, stopped, killed and repeated."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from models.corpus.pairs import DataError
from models.device import one_thread_each
from models.evaluation.retrain.arms import Changes
from models.evaluation.retrain.experiment import Experiment, hold_out, result_json, rows_of
from models.evaluation.retrain.fine_tuning import FineTuningSettings
from models.evaluation.retrain.job import (
    EXPERIMENT,
    experiment_of,
    files_of,
    request_of,
    result_of,
    sentences,
)
from models.evaluation.retrain.propose import propose
from models.registry.checkpoint import load_config
from models.training.events import (
    ExperimentStep,
    Notice,
    RunFailed,
    RunFinished,
    RunStarted,
    RunStopped,
    TrainingEvent,
    parse_event,
)
from models.training.launch.child_process import ProcessLauncher
from models.training.launch.chunks import train_chunk
from models.training.launch.worker import Worker
from models.training.runs.collection import RunError, Runs
from models.training.runs.request import RunRequest, new_token
from models.training.runs.run_folder import Run
from models.training.runs.status import RunState
from models.training.runs.work import LOST_EXPERIMENT, STOPPED_EXPERIMENT, Work
from models.training.runs.writer import RunWriter
from tests.fakes.training.processes import (
    LONG,
    launcher,
    request,
    stop_all,
    wait_for_death,
    wait_for_end,
    wait_for_steps,
)
from tests.messages import says
from tests.models.evaluation.retrain.experiments import PAIRS, START, WRONG, experiment, run_request
from tests.models.evaluation.retrain.planted_pairs import loaded
from tests.refusals import refused
from tests.waiting import wait

ENDLESS = FineTuningSettings(steps=1000, batch_pairs=4)


def work(root: Path, to_run: Experiment, **limits: int) -> Run:
    """Run the worker in this process."""
    run = Runs(root).create(run_request(to_run), files_of(to_run))
    with RunWriter(run) as writer:
        Worker(writer, **limits).work()
    return run


def steps_of(events: list[TrainingEvent]) -> list[int]:
    return [event.step for event in events if isinstance(event, ExperimentStep)]


def wait_for_step(run: Run) -> None:
    _, index = run.events()
    wait(lambda: bool(steps_of(run.events(index)[0])))


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ProcessLauncher]:
    server = launcher(tmp_path / "runs")
    yield server
    stop_all(server)


@pytest.mark.slow
def test_a_run_has_the_result_of_the_same_experiment_in_this_process(tmp_path: Path) -> None:
    run = work(tmp_path, experiment())
    assert run.state() is RunState.FINISHED, run.sentence()
    *_, last = experiment().run(loaded())
    assert last.result is not None
    result = result_json(experiment(), last.result)
    assert result_of(run) == json.loads(json.dumps(result)) == result
    events = run.all_events()
    assert isinstance(events[0], RunStarted)
    assert events[0].total_steps == 6
    assert (events[0].train_pairs, events[0].valid_pairs) == (6, 2)
    assert steps_of(events) == [1, 2, 3, 4, 5, 6]
    assert [event.arm for event in events if isinstance(event, ExperimentStep)] == [0, 0, 0, 1, 1, 1]
    assert [event.text for event in events if isinstance(event, Notice)] == sentences(result)
    assert isinstance(events[-1], RunFinished)
    assert events[-1].target_tokens > 0
    assert not run.best.exists()


def test_an_experiment_and_its_request_are_restored_from_their_files(tmp_path: Path) -> None:
    query = run_request(experiment())
    run = Runs(tmp_path).create(query, files_of(experiment()))
    assert experiment_of(run) == experiment()
    assert run.request == query
    assert run.request.work is Work.RETRAINING
    assert run.request.title == "dates-transformer: 17 August 2010"
    assert result_of(run) is None
    older = {name: value for name, value in request().to_dict().items() if name != "work"}
    assert RunRequest.from_dict(older).work is Work.TRAINING


@pytest.mark.slow
def test_a_chunk_on_a_lent_gpu_does_the_whole_experiment(tmp_path: Path) -> None:
    run = Runs(tmp_path).create(run_request(experiment()), files_of(experiment()))
    with one_thread_each():
        events = [parse_event(line) for line in train_chunk(str(run.folder), 60.0)]
    assert steps_of(events) == [1, 2, 3, 4, 5, 6]
    assert isinstance(events[-1], RunFinished)
    assert result_of(run) is not None


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"pairs": [["a"]]}'])
def test_a_damaged_experiment_fails_with_a_sentence(text: str, tmp_path: Path) -> None:
    with refused(DataError, "cannot_be_read", "experiment.json"):
        Experiment.from_json(text)
    run = Runs(tmp_path).create(run_request(experiment()), {EXPERIMENT: text})
    with RunWriter(run) as writer:
        Worker(writer).work()
    (failed,) = run.all_events()
    assert isinstance(failed, RunFailed)
    assert run.state() is RunState.FAILED


def test_a_change_of_a_pair_that_does_not_exist_is_refused() -> None:
    with refused(DataError, "no_such_training_pair", "6", "7"):
        replace(experiment(), changes=Changes(frozenset({6})))


@pytest.mark.slow
def test_the_limits_of_the_server_hold(tmp_path: Path) -> None:
    (failed,) = work(tmp_path, experiment(), parameters=1000).all_events()
    assert isinstance(failed, RunFailed)
    assert says(failed.reason, "network_too_large", limit="1,000")


def test_networks_of_the_transformers_library_are_refused() -> None:
    foreign = replace(load_config(START), network={"architecture": "transformers"})
    with refused(DataError, "foreign_not_retrained"):
        request_of(experiment(), foreign, new_token(), start="m2m", folder=START, device="cpu")


def test_held_out_pairs_share_no_source_with_training_pairs() -> None:
    pairs = [(f"s{i % 40}", f"t{i}") for i in range(100)]
    training, held_out = hold_out(pairs, 10, [3, 5], tested="s7")
    assert len(held_out) == 10
    assert {3, 5, 43, 45, 7} <= set(training)
    assert not {pairs[i][0] for i in training} & {pairs[i][0] for i in held_out}
    assert len({pairs[i][0] for i in held_out}) == 10
    assert len(hold_out(pairs[:5], 10, [0], tested="s1")[1]) == 1
    assert hold_out(pairs, 0, [], tested="") == (list(range(100)), [])


def test_proposed_pairs_are_plain_json() -> None:
    rows = rows_of(propose(loaded(), PAIRS, WRONG, max_proposed=2))
    assert {row["place"] for row in rows} == {2, 4}
    assert json.loads(json.dumps(rows)) == rows
    assert {part["kind"] for row in rows for part in row["evidence"]} == {
        "states",
        "source words",
        "wrong words",
    }


@pytest.mark.full
@pytest.mark.slow
def test_an_experiment_waits_for_a_training_and_counts_as_a_run(server: ProcessLauncher) -> None:
    """Experiments and trainings share queue and limits, and a restarted server reads the result."""
    training = server.start(request(LONG))
    wait_for_steps(training, 1)
    token = new_token()
    run = server.start(run_request(experiment(), token), files_of(experiment()))
    with refused(RunError, "one_run_each"):
        server.start(request(LONG, token))
    wait(lambda: "Waiting for 1 other run" in run.sentence())
    assert run.state() is RunState.QUEUED
    server.stop(training)
    wait_for_end(run)
    assert run.state() is RunState.FINISHED, (run.sentence(), run.log_tail())
    again = launcher(server.runs.root).runs.find(run.id)
    result = result_of(again)
    assert result is not None
    assert result["source"] == WRONG.source
    with refused(RunError, "run_finished_already"):
        server.resume(run)


@pytest.mark.full
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs a signal that no process can catch")
def test_a_killed_or_stopped_experiment_is_reported_and_starts_over(server: ProcessLauncher) -> None:
    endless = experiment(ENDLESS)
    run = server.start(run_request(endless), files_of(endless))
    wait_for_step(run)
    os.kill(run.status().pid, signal.SIGKILL)
    wait_for_death(run)
    wait(lambda: run.state() is RunState.LOST)
    assert run.sentence() == LOST_EXPERIMENT
    assert run.all_events()[-1] == RunFailed(LOST_EXPERIMENT)

    server.resume(run)
    wait_for_step(run)
    assert steps_of(run.all_events())[0] == 1
    server.stop(run)
    wait_for_end(run)
    assert (run.state(), run.sentence()) == (RunState.STOPPED, STOPPED_EXPERIMENT)
    last = run.all_events()[-1]
    assert isinstance(last, RunStopped)
    assert last.reason == STOPPED_EXPERIMENT
    assert result_of(run) is None
