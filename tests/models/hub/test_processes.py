"""Several processes on one store, one of which may be killed at any moment."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from models.hub.storage.store import HubStore
from tests.fakes.servers.hub_server import FakeHub
from tests.models.hub.conftest import NAME, PICKLED, REPOSITORY, SAFE
from tests.models.hub.test_store import left_behind
from tests.models.hub.test_transformers import check, pickled
from tests.waiting import wait

ROOT = Path(__file__).parents[3]
pytestmark = pytest.mark.slow
ADD = """
import sys
from pathlib import Path
from models.hub.settings import HubSettings
from models.hub.storage.store import HubStore

store = HubStore(HubSettings(root=Path(sys.argv[1]), endpoint=sys.argv[2], timeout=240.0))
store.add(sys.argv[3], progress=lambda progress: print(progress.stage, flush=True))
"""


@pytest.mark.full
def test_two_processes_fetch_once(hub: FakeHub, store: HubStore, tmp_path: Path) -> None:
    hub.gate.clear()
    command = [sys.executable, "-c", ADD, str(store.settings.root), hub.url, REPOSITORY]
    with (tmp_path / "stages").open("w") as stages:
        servers = [subprocess.Popen(command, cwd=ROOT, stdout=stages) for _ in range(2)]
    wait(lambda: "waiting" in (tmp_path / "stages").read_text())
    hub.gate.set()
    assert [server.wait() for server in servers] == [0, 0]
    assert store.names() == (REPOSITORY,)
    assert hub.bodies().count("model.safetensors") == 1


@pytest.mark.release
@pytest.mark.timeout(3600)
def test_a_model_is_whole_or_absent_after_a_kill_at_any_moment(
    hub: FakeHub, store: HubStore, serve: Callable[[str], Any], tmp_path: Path
) -> None:
    """The kill comes while the model is fetched, converted or tried."""
    chance, network = random.Random(37), serve("marian")
    del hub.files[NAME][SAFE]
    hub.files[NAME][PICKLED] = pickled(network, tmp_path)
    command = [sys.executable, "-c", ADD, str(store.settings.root), hub.url, NAME]
    for _ in range(20):
        server = subprocess.Popen(command, cwd=ROOT)
        with suppress(subprocess.TimeoutExpired):
            server.wait(chance.uniform(1.0, 12.0))
        server.kill()
        server.wait()
        if store.names():
            check(store, network)
            store.remove(NAME)
    assert store.add(NAME) == NAME
    check(store, network)
    assert not list(store.settings.root.glob(".work/*"))


def children_of(pid: int) -> list[int]:
    output = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True)
    return [int(line) for line in output.stdout.split()]


def alive(pid: int) -> bool:
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True).stdout
    return bool(state.strip()) and not state.startswith("Z")


@pytest.mark.skipif(not Path("/bin/ps").exists(), reason="finds the child by ps")
def test_a_killed_server_leaves_nothing_usable_and_the_next_add_succeeds(
    hub: FakeHub, store: HubStore
) -> None:
    hub.gate.clear()
    server = subprocess.Popen(
        [sys.executable, "-c", ADD, str(store.settings.root), hub.url, REPOSITORY], cwd=ROOT
    )
    wait(lambda: "model.safetensors" in hub.bodies() or server.poll() is not None)
    downloads = children_of(server.pid)
    assert downloads
    os.kill(server.pid, signal.SIGKILL)
    server.wait()
    assert left_behind(store)
    assert store.names() == ()
    wait(lambda: not any(alive(pid) for pid in downloads))  # no download outlives its server
    hub.gate.set()
    assert store.add(REPOSITORY) == REPOSITORY
    assert store.names() == (REPOSITORY,)
    assert not list(store.settings.root.glob(".work/*"))
