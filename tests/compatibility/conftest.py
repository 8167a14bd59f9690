"""A server over copies of runs, corrections and models that an earlier version left on disk."""

import json
import shutil
from pathlib import Path

import pytest

import app
from demo.work.context import AppContext
from demo.work.hub import Hub
from demo.work.training_service import TrainingService
from models.hub.settings import HubSettings
from models.registry.registry import Registry
from models.training.launch.launcher import Launcher, TrainingLimits
from models.training.launch.worker import Worker
from models.training.runs.collection import Runs
from models.training.runs.writer import RunWriter

HERE = Path(__file__).parent
CHECKPOINTS = Path(app.__file__).parent / "checkpoints"


class InProcessLauncher(Launcher):
    """A launcher that trains in this process, so that starting a run returns at its end."""

    def attend(self, run):
        pass

    def _begin(self, run):
        with RunWriter(run) as writer:
            Worker(writer).work()


def serve(root):
    runs = Runs(root / "runs")
    limits = TrainingLimits(root=runs.root)
    for name in ("run", "stopped_run", "tuned_run"):
        request = json.loads((HERE / name / "run.json").read_text(encoding="utf-8"))
        shutil.copytree(HERE / name, runs.root / request["id"])
    shutil.copytree(HERE / "corrections", runs.root / "corrections")
    shutil.copytree(HERE / "hub", root / "hub")
    training, hub = (
        TrainingService(runs, InProcessLauncher(runs, limits), limits),
        Hub(HubSettings(root=root / "hub")),
    )
    registry = Registry(CHECKPOINTS, training.checkpoint_folder, hub)
    return AppContext(registry, "cpu", training=training, hub=hub)


@pytest.fixture
def server(tmp_path):
    """The context that `app.py` builds, over folders that a test may change."""
    return serve(tmp_path)


@pytest.fixture(scope="session")
def untouched(tmp_path_factory):
    """The same context for tests that only read."""
    return serve(tmp_path_factory.mktemp("untouched"))
