"""A full disk is reported with a remedy, and memory is that of machine and container."""

from __future__ import annotations

import errno
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from models.hub.errors import HubError
from models.hub.settings import HubSettings
from models.hub.storage import work_folders as room
from models.hub.storage.store import HubStore
from tests.fakes.servers.hub_server import FakeHub
from tests.models.hub.conftest import REPOSITORY
from tests.models.hub.test_errors import no_model
from tests.refusals import refused

pytestmark = pytest.mark.slow


def test_too_small_a_disk_is_reported(hub: FakeHub, store: HubStore, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage("/")._replace(free=room.MIN_FREE_BYTES)
    monkeypatch.setattr(room.shutil, "disk_usage", lambda path: usage)
    with no_model(store, "hub_disk_too_small"):
        store.add(REPOSITORY)
    assert "model.safetensors" not in hub.bodies()


def test_a_full_disk_at_the_last_rename_is_reported(store: HubStore, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Path.rename

    def full(self: Path, target: Path) -> Path:
        if self.name == "files":
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(self, target)

    monkeypatch.setattr(Path, "rename", full)
    with no_model(store, "hub_disk_full", "someone/tiny"):
        store.add(REPOSITORY)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of files")
@pytest.mark.parametrize("size", [0, 700])
def test_a_full_disk_before_or_during_the_download_is_reported(store: HubStore, size: int) -> None:
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))  # the download inherits it
    try:
        with no_model(store, "hub_disk_full", "someone/tiny"):
            store.add(REPOSITORY)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert store.add(REPOSITORY) == REPOSITORY


def test_a_hub_folder_that_cannot_be_written_is_reported(settings: HubSettings, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    with refused(HubError, "hub_not_stored", "someone/tiny"):
        HubStore(replace(settings, root=blocked)).add(REPOSITORY)


def test_available_memory_is_the_least_of_machine_and_container(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "CGROUP_FOLDER", tmp_path)
    machine = room.available_memory()
    assert machine is not None
    assert machine > 1 << 20
    for name, text in (
        ("memory.max", "5000"),
        ("memory.current", "4000"),
        ("memory.stat", "inactive_file 70\n"),
    ):
        (tmp_path / name).write_text(text)
    assert room.available_memory() == 1070
    (tmp_path / "memory.max").write_text("max")
    assert room.available_memory() != 1070
