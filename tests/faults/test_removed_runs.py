"""A run whose folder is removed while it is watched, evaluated or trained causes no traceback."""

from __future__ import annotations

import logging
import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Any

import gradio as gr
import pytest

from demo.api.evaluate import evaluate_arguments, on_evaluate
from demo.training.run_handlers import on_archive, on_poll, on_resume, on_stop, on_visit
from demo.training.work.run_report import RunReports
from demo.work.context import AppContext
from demo.work.errors import guard
from demo.work.requests.decode import DecodeRequest
from demo.work.training_service import TrainingService
from models.registry.registry import Registry
from models.training.launch.launcher import TrainingLimits
from models.training.runs.collection import Runs
from models.training.runs.request import RunRequest
from models.training.runs.run_folder import Run
from tests.demo.conftest import LETTERS, make_checkpoint
from tests.fakes.training.processes import LONG, launcher, request, wait_for_death, wait_for_steps
from tests.fakes.training.small_run import CONFIG
from tests.fuzz.world import VISITOR, EndingLauncher
from tests.grids import full_only, release_only

pytestmark = pytest.mark.slow
SEEDS = pytest.mark.parametrize("seed", [0, 1, *release_only(range(2, 20))])


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of one small checkpoint."""
    root = tmp_path_factory.mktemp("checkpoints")
    make_checkpoint(root, LETTERS, "character")
    return root


@pytest.fixture
def context(shipped: Path, tmp_path: Path) -> AppContext:
    limits = TrainingLimits(root=tmp_path / "runs")
    runs = Runs(limits.root)
    training = TrainingService(runs, EndingLauncher(runs, limits), limits)
    return AppContext(Registry(shipped, training.checkpoint_folder), "cpu", training=training)


def trained(context: AppContext, checkpoint: Path) -> Run:
    """Return a run that has ended with a checkpoint."""
    assert context.training is not None
    run = context.training.launcher.start(RunRequest.new("A run", CONFIG, VISITOR, device="cpu"))
    shutil.copytree(checkpoint, run.best)
    return run


def uses(context: AppContext, run: Run) -> list[Callable[[], Any]]:
    """Return the calls of pages and programs that use a run."""
    assert context.training is not None
    reports = RunReports(context.training.runs)
    values = {argument.name: getattr(argument, "default", None) for argument in evaluate_arguments()}
    values |= {"checkpoint": run.id, "sources": ["hola"], "references": ["hola"], "max_length": 3}
    decode = guard(lambda: context.decode(DecodeRequest(run.id, "hola")))
    return [
        lambda: guard(on_poll, context, reports)(VISITOR, run.id, [run.id]),
        lambda: guard(on_visit, context)(run.id, VISITOR),
        lambda: list(guard(on_archive, context, reports)(run.id)),
        lambda: guard(on_stop, context)(run.id),
        lambda: guard(on_resume, context)(run.id),
        decode,
        lambda: guard(on_evaluate, context)(*values.values()),
    ]


@SEEDS
def test_using_a_run_during_its_removal_gives_only_known_errors(
    context: AppContext, shipped: Path, caplog: pytest.LogCaptureFixture, seed: int
) -> None:
    chance = random.Random(seed)
    run, removed, unforeseen = trained(context, shipped / LETTERS), Event(), list[BaseException]()

    def use(function: Callable[[], Any]) -> None:
        while not removed.is_set():
            ask(function)
        ask(function)

    def ask(function: Callable[[], Any]) -> None:
        try:
            function()
        except gr.Error:
            pass  # a refusal with a sentence
        except BaseException as error:
            unforeseen.append(error)

    threads = [Thread(target=use, args=(function,)) for function in uses(context, run)]
    for thread in threads:
        thread.start()
    time.sleep(chance.uniform(0.0, 0.5))
    shutil.rmtree(run.folder, ignore_errors=True)
    removed.set()
    for thread in threads:
        thread.join()
    assert unforeseen == []
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR], caplog.text


@pytest.mark.parametrize("seed", [*full_only(range(4)), *release_only(range(4, 20))])
def test_a_run_whose_folder_is_removed_while_it_trains_ends(tmp_path: Path, seed: int) -> None:
    server = launcher(tmp_path / "runs")
    run = server.start(request(LONG))
    wait_for_steps(run, 3)
    time.sleep(random.Random(seed).uniform(0.0, 0.5))
    shutil.rmtree(run.folder, ignore_errors=True)
    wait_for_death(run)
    assert tuple(server.runs.active_requests()) == ()
    assert server.start(request(LONG)).request_file.exists()
    for other in tuple(server.runs.active_requests()):
        server.stop(other)
        wait_for_death(other)
