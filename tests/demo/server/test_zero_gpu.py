"""Training on ZeroGPU with the package `spaces` itself, and a service of ours in place of theirs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import spaces
from gradio_client import Client

from demo.server import zero_gpu
from models.training.events import RunStopped
from models.training.launch.child_process import ProcessLauncher
from models.training.launch.chunks import CHUNK_SECONDS, chunk_duration, train_chunk
from models.training.launch.launcher import TrainingLimits
from models.training.launch.lent_time import SAVING_SECONDS
from models.training.runs.collection import Runs
from models.training.runs.request import RunState
from models.training.runs.run_folder import Run
from tests.benchmarks.serving import serving
from tests.fakes.device_service import DeviceService
from tests.fakes.training.processes import events_of, steps_of
from tests.messages import says

ROOT = Path(__file__).parents[3]
WHOLE = round(CHUNK_SECONDS + SAVING_SECONDS)  # seconds that a chunk declares
START = (
    "from tests.fakes.servers.zero_gpu_space import import_spaces; import_spaces(); import app; app.main()"
)


@pytest.fixture
def service() -> Iterator[DeviceService]:
    """A service whose visitor has quota for one whole chunk and a part of another."""
    service = DeviceService(left=WHOLE + 5, cost=25)
    yield service
    service.close()


def test_runs_outside_a_space_are_child_processes(tmp_path: Path) -> None:
    launcher = zero_gpu.build_launcher(Runs(tmp_path), TrainingLimits(root=tmp_path))
    assert isinstance(launcher, ProcessLauncher)
    assert zero_gpu.chunk is train_chunk
    assert spaces.GPU(duration=chunk_duration)(train_chunk) is train_chunk


@pytest.mark.full
@pytest.mark.slow
def test_a_run_uses_the_rest_of_the_quota_saves_and_stops(service: DeviceService, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.fakes.servers.zero_gpu_space", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, env={**os.environ, **service.variables()}, check=True)
    rest, too_little = WHOLE + 5 - service.cost, WHOLE + 5 - 2 * service.cost
    assert service.requested == [WHOLE, WHOLE, rest, rest]
    assert service.calls == ["schedule", "allow", "release", "schedule"] * 2
    (run,) = [Run(status.parent) for status in tmp_path.glob("*/status.json")]
    assert run.state() is RunState.STOPPED
    assert says(run.sentence(), "gpu_quota_used_up", seconds=too_little, wait="5:21")
    assert events_of(run)[-1] == RunStopped(steps_of(events_of(run))[-1], run.sentence())
    assert (run.folder / "state.safetensors").exists()


@pytest.mark.full
def test_a_space_has_a_function_for_a_gpu_and_decodes_without_one(
    service: DeviceService, tmp_path: Path
) -> None:
    with serving("-c", START, HOST="", UNROLLED_RUNS=str(tmp_path), **service.variables()) as server:
        assert service.calls == ["startup-report"]
        answer = Client(server.url, verbose=False).predict("reverse-gru", "abc", api_name="/translate")
        assert answer["hypotheses"][0]["text"] == "cba"
        # Other machines reach it, too: the test waited for it at another address than this one.
        assert httpx.get(server.url.replace("127.0.0.1", "127.0.0.9")).status_code == 200
    assert service.calls == ["startup-report"]


@pytest.mark.slow
def test_torch_is_not_imported_before_spaces() -> None:
    code = "import sys, demo.server.zero_gpu, demo.work.context; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
