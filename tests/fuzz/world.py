"""The page for random calls, with small checkpoints, a local Hub and runs that stop at once."""

from __future__ import annotations

import json
import shutil
import time
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import demo.learn
from demo.learn.lab_answers import TRAINING_LIMITS, LiveTraining
from demo.page.interface import build_demo
from demo.server.page import Page
from demo.widgets.picture_input.component import new_picture
from demo.work.context import AppContext
from demo.work.training_service import TrainingService
from models.registry.registry import EXAMPLE, Registry
from models.training.launch.launcher import Launcher, TrainingLimits
from models.training.runs.collection import Runs
from models.training.runs.request import STOPPED, RunRequest, RunState, RunStatus
from models.training.runs.run_folder import Run
from tests.fakes.servers.hub_page import make_hub
from tests.fakes.servers.hub_server import Account, FakeHub
from tests.fakes.training.small_run import CONFIG

ROOT = Path(__file__).parents[2]
CHECKPOINTS = ("reverse-gru", "reverse-lstm", "dates-transformer", "shapes-captioner")
VISITOR, TOKEN, HUB_MODEL = "0123456789abcdef" * 2, "hf_writer_token", "ann/mine"


@dataclass(frozen=True)
class World:
    """The page, and the names that exist in it."""

    page: Page
    context: AppContext
    names: tuple[str, ...]  # names of checkpoints
    runs: tuple[str, ...]  # ids of runs
    trace: dict[str, Any]  # a valid trace
    picture: str  # a source for the checkpoint that reads pictures


class EndingLauncher(Launcher):
    """A launcher whose runs stop before their first step."""

    def attend(self, run: Run) -> None:
        """Do nothing."""

    def _begin(self, run: Run) -> None:
        run.write_status(RunStatus(RunState.STOPPED, time.time(), message=STOPPED))


def make_world(folder: Path, server: FakeHub) -> World:
    """Build a page that writes only to `folder` and uses `server` as its Hub."""
    demo.learn.LiveTraining = partial(LiveTraining, limits=replace(TRAINING_LIMITS, seconds=0.2))  # type: ignore[attr-defined]
    checkpoints = folder / "checkpoints"
    for name in CHECKPOINTS:
        shutil.copytree(ROOT / "checkpoints" / name, checkpoints / name)
    files = {
        path.name: path.read_bytes() for path in (checkpoints / CHECKPOINTS[0]).iterdir() if path.is_file()
    }
    server.files[HUB_MODEL] = files
    server.accounts[TOKEN] = Account("ann")
    runs = Runs(folder / "runs", recorded=ROOT / "recordings")
    limits = TrainingLimits(root=runs.root)
    launcher = EndingLauncher(runs, limits)
    run = launcher.start(RunRequest.new("A run", CONFIG, VISITOR, device="cpu"))
    shutil.copytree(checkpoints / CHECKPOINTS[0], run.best)
    training = TrainingService(runs, launcher, limits)
    hub = make_hub(server, folder / "hub", timeout=2.0)
    context = AppContext(
        Registry(checkpoints, training.checkpoint_folder, hub), "cpu", training=training, hub=hub
    )
    ids = (run.id, *(recorded_run.id for recorded_run in runs.recorded_runs()))
    trace = json.loads((checkpoints / CHECKPOINTS[0] / EXAMPLE).read_text(encoding="utf-8"))
    names = (*CHECKPOINTS, "reverse-gru@int8", run.id, HUB_MODEL)
    return World(build_demo(context), context, names, ids, trace, new_picture()["picture"])
