"""The glue to ZeroGPU, with a stand-in for the `spaces` package."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from demo.server import zero_gpu
from models.device import one_thread_each
from models.training.launch.child_process import ProcessLauncher
from models.training.launch.chunks import ChunkLauncher, train_chunk
from models.training.launch.limits import TrainingLimits
from models.training.runs.collection import Runs
from models.training.runs.status import RunState
from tests.fakes import lent_gpu
from tests.fakes.small_run import CONFIG
from tests.fakes.training_processes import request
from tests.waiting import wait

ROOT = Path(__file__).parents[3]


@pytest.fixture
def on_a_space(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module as it is loaded where a GPU is lent."""
    lent_gpu.forget()
    monkeypatch.setenv("SPACES_ZERO_GPU", "true")
    monkeypatch.setitem(sys.modules, "spaces", lent_gpu)
    spec = importlib.util.spec_from_file_location("zero_gpu_on_a_space", zero_gpu.__file__)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_elsewhere_runs_are_child_processes(tmp_path: Path) -> None:
    launcher = zero_gpu.build_launcher(Runs(tmp_path), TrainingLimits(root=tmp_path))
    assert isinstance(launcher, ProcessLauncher)
    assert zero_gpu.chunk is train_chunk


@pytest.mark.full
def test_on_zero_gpu_a_run_goes_through_its_chunks(on_a_space: ModuleType, tmp_path: Path) -> None:
    launcher = on_a_space.build_launcher(Runs(tmp_path), TrainingLimits(root=tmp_path))
    assert isinstance(launcher, ChunkLauncher)
    launcher.seconds = 0.3
    with one_thread_each():
        lent_gpu.claims.set(object())
        run = launcher.start(replace(request(replace(CONFIG, epochs=15)), device="auto"))

        def look() -> None:
            lent_gpu.claims.set(object())
            launcher.attend(run)

        wait(lambda: not run.state().is_active, meanwhile=look)
    lent_gpu.claims.set(None)
    assert run.state() is RunState.FINISHED, run.sentence()
    assert len(lent_gpu.granted) > 1
    assert set(lent_gpu.granted) == {0.3 + zero_gpu.SAVING}


@pytest.mark.slow
def test_spaces_sees_torch_being_imported() -> None:
    code = "import sys, demo.server.zero_gpu, demo.service.context; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False, timeout=60).returncode == 0
