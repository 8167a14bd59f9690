"""Models of a local Hub: fetching and keeping them; incomplete models are never visible."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from models.hub.download.fetch import DOWNLOAD_STAGES, DownloadProgress
from models.hub.errors import HubCancelledError, HubError
from models.hub.settings import HubSettings
from models.hub.storage import store as store_module
from models.hub.storage.store import HubStore
from models.registry.checkpoint import load_checkpoint
from tests.fakes.servers.hub_server import COMMIT, FakeHub
from tests.models.hub.conftest import REPOSITORY
from tests.refusals import refused
from tests.waiting import wait

pytestmark = pytest.mark.slow

OTHER = "f" * 40


def left_behind(store: HubStore) -> list[Path]:
    """All files but locks."""
    return [path for path in store.settings.root.rglob("*") if path.is_file() and path.suffix != ".lock"]


def test_an_added_model_is_complete_and_loads(hub: FakeHub, store: HubStore, own_folder: Path) -> None:
    reports: list[DownloadProgress] = []
    assert store.names() == ()
    assert store.add(REPOSITORY, progress=reports.append) == REPOSITORY
    assert store.names() == (REPOSITORY,)
    folder = store.folder(REPOSITORY)
    assert folder is not None
    for path in own_folder.iterdir():
        assert (folder / path.name).read_bytes() == path.read_bytes()
    assert {path.name for path in folder.iterdir()} == {path.name for path in own_folder.iterdir()} | {
        "source.json"
    }
    assert load_checkpoint(folder, torch.device("cpu")).config.task == "reversal"
    source = store.source(REPOSITORY)
    assert source is not None
    assert (source.repo_id, source.revision, source.commit, source.kind) == (
        REPOSITORY,
        "main",
        COMMIT,
        "own",
    )
    stages = [progress.stage for progress in reports]
    assert [stage for stage in DOWNLOAD_STAGES if stage in stages] == list(dict.fromkeys(stages))
    assert reports[-1].done == reports[-1].total == sum(path.stat().st_size for path in own_folder.iterdir())


def test_only_listed_files_are_fetched_and_only_at_the_commit(hub: FakeHub, store: HubStore) -> None:
    store.add(REPOSITORY)
    assert {"modeling.py", "big.onnx"}.isdisjoint(hub.bodies())
    query = [request for request in hub.requests if "/resolve/" in request or "/tree/" in request]
    assert query
    assert all(COMMIT in request for request in query)


def test_the_token_of_the_server_is_never_used(
    hub: FakeHub, store: HubStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    store.add(REPOSITORY)
    assert hub.headers
    assert not any("authorization" in headers for headers in hub.headers)


@pytest.mark.parametrize("revision", ["main", COMMIT])
def test_a_stored_model_is_used_without_a_request(hub: FakeHub, store: HubStore, revision: str) -> None:
    store.add(REPOSITORY)
    hub.close()
    hub.requests.clear()
    assert HubStore(store.settings).add(REPOSITORY, revision) == REPOSITORY
    assert hub.requests == []


def test_another_revision_replaces_the_stored_one(hub: FakeHub, store: HubStore) -> None:
    store.add(REPOSITORY)
    hub.commits[REPOSITORY] = OTHER
    hub.files[REPOSITORY]["README.md"] += b"More.\n"
    store.add(REPOSITORY, "v1")
    folder, source = store.folder(REPOSITORY), store.source(REPOSITORY)
    assert folder is not None
    assert source is not None
    assert source.commit == OTHER
    assert (folder / "README.md").read_text().endswith("More.\n")
    with pytest.raises(HubError):
        store.add(REPOSITORY, "v2")
    assert store.names() == (REPOSITORY,)


INVALID_NAMES = (
    *(
        "",
        "../x",
        "a/../../b",
        "a/..",
        "../../etc/passwd",
        "/etc/passwd",
        "tiny",
        "a/b/c",
        ".work/x",
        "a/b.git",
    ),
    *(
        "x" * 10_000,
        f"{'x' * 5000}/{'y' * 5000}",
        "a\0/b",
        "a\n/b",
        "someone/tiny@x",
        "someone/tiny-",
        "a--b/c",
    ),
    *("someone/*", "someone\\tiny", "ｓomeone/tiny", "some one/tiny", None, 5, ["someone/tiny"]),
)


def test_a_name_cannot_point_outside_the_store(hub: FakeHub, store: HubStore) -> None:
    store.add(REPOSITORY)
    hub.requests.clear()
    for name in INVALID_NAMES:
        assert store.folder(name) is None
        assert store.source(name) is None
        with refused(HubError, "hub_model_not_here"):
            store.remove(name)
        with refused(HubError, "no_model_name") as excinfo:
            store.add(name)  # type: ignore[arg-type]
        assert len(str(excinfo.value)) < 400
    assert hub.requests == []
    assert store.names() == (REPOSITORY,)


def test_an_address_is_read_as_a_name(store: HubStore) -> None:
    assert store.add(f" https://huggingface.co/{REPOSITORY}/ ") == REPOSITORY


def test_a_removed_model_is_gone(store: HubStore) -> None:
    store.add(REPOSITORY)
    store.remove(REPOSITORY)
    assert store.names() == ()
    assert store.folder(REPOSITORY) is None
    assert left_behind(store) == []


def test_two_simultaneous_additions_fetch_once(hub: FakeHub, settings: HubSettings) -> None:
    hub.gate.clear()
    names: list[str] = []

    def watch(progress: DownloadProgress) -> None:
        if progress.stage == "waiting":
            hub.gate.set()

    def add() -> None:
        names.append(HubStore(settings).add(REPOSITORY, progress=watch))

    threads = [threading.Thread(target=add) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert names == [REPOSITORY, REPOSITORY]
    assert hub.bodies().count("model.safetensors") == 1


@pytest.mark.parametrize("stage", ["looking", "downloading", "checking", "trying"])
def test_a_cancelled_download_leaves_nothing(hub: FakeHub, store: HubStore, stage: str) -> None:
    cancelled = threading.Event()
    if stage == "downloading":
        hub.gate.clear()

    def watch(progress: DownloadProgress) -> None:
        if progress.stage == stage:
            cancelled.set()

    with refused(HubCancelledError, "hub_cancelled"):
        store.add(REPOSITORY, progress=watch, cancelled=cancelled)
    assert store.names() == ()
    assert left_behind(store) == []


def test_a_waiting_download_can_be_cancelled(hub: FakeHub, store: HubStore) -> None:
    hub.gate.clear()
    first = threading.Thread(target=store.add, args=[REPOSITORY])
    first.start()
    wait(lambda: "model.safetensors" in hub.bodies())
    cancelled = threading.Event()
    with pytest.raises(HubCancelledError):
        store.add(REPOSITORY, progress=lambda _: cancelled.set(), cancelled=cancelled)
    hub.gate.set()
    first.join()
    assert store.names() == (REPOSITORY,)


@pytest.fixture
def small_store(own_files: Mapping[str, bytes], hub: FakeHub, settings: HubSettings) -> HubStore:
    """A store with room for two of three models of one size."""
    for name in ("b", "c"):
        hub.files[f"someone/{name}"] = dict(own_files)
    probe = HubStore(settings)
    probe.add(REPOSITORY)
    source = probe.source(REPOSITORY)
    assert source is not None
    return HubStore(replace(settings, total_bytes=source.bytes * 5 // 2))


def test_the_least_recently_used_model_is_removed_for_a_new_one(small_store: HubStore) -> None:
    small_store.add("someone/b")
    for name, age in ((REPOSITORY, 7200), ("someone/b", 9000)):
        folder = small_store.folder(name)
        assert folder is not None
        past = time.time() - age
        os.utime(folder / "source.json", (past, past))
    small_store.add("someone/c")
    assert small_store.names() == ("someone/c", REPOSITORY)
    assert small_store.folder(REPOSITORY) is not None  # so it is in use now
    os.utime(small_store.settings.root / "someone" / "c" / "source.json", (0, 0))
    small_store.add("someone/b")
    assert small_store.names() == ("someone/b", REPOSITORY)


def test_a_model_in_use_is_not_removed(hub: FakeHub, small_store: HubStore) -> None:
    small_store.add("someone/b")
    with refused(HubError, "hub_no_room", "someone/c"):
        small_store.add("someone/c")
    assert small_store.names() == ("someone/b", REPOSITORY)
    assert not [
        request for request in hub.requests if "someone/c/resolve" in request and "safetensors" in request
    ]


def test_a_model_that_is_being_added_cannot_be_removed(
    store: HubStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add(REPOSITORY)
    messages: list[str] = []

    def remove(*arguments: object) -> None:
        with pytest.raises(HubError) as excinfo:
            HubStore(store.settings).remove(REPOSITORY)
        messages.append(str(excinfo.value))
        raise HubError("enough", "it is enough")

    monkeypatch.setattr(store_module, "fetch", remove)
    with refused(HubError, "enough"):
        store.add(REPOSITORY, "v1")
    assert messages == [f"{REPOSITORY} is being added: cancel that, or try again later"]
