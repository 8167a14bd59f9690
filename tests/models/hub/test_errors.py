"""Whatever goes wrong is one sentence with a remedy, within ten seconds, and leaves nothing behind."""

from __future__ import annotations

import errno
import json
import shutil
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from models.hub.download.progress import Progress
from models.hub.errors import HubError
from models.hub.listing.repository import look
from models.hub.settings import HubSettings
from models.hub.storage import capacity as room
from models.hub.storage import preparation as ready
from models.hub.storage.store import HubStore
from tests.fakes.hub_server import COMMIT, FakeHub
from tests.models.hub.conftest import OWN
from tests.models.hub.test_store import left_behind

pytestmark = pytest.mark.slow


@contextmanager
def refusal(store: HubStore, message: str) -> Iterator[None]:
    """One sentence, soon, and no model."""
    start = time.perf_counter()
    with pytest.raises(HubError, match=message) as caught:
        yield
    assert time.perf_counter() - start < 25
    text = str(caught.value)
    assert len(text) < 400
    assert "\n" not in text
    assert store.names() == ()
    assert left_behind(store) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda hub: hub.files.clear(), "there is no public model someone/tiny .* or make it public"),
        (lambda hub: hub.private.add(OWN), "there is no public model someone/tiny on the Hub: check how"),
        (lambda hub: hub.gated.add(OWN), "accounts that accepted its terms: choose a model without"),
        (lambda hub: setattr(hub, "status", 429), "asks to wait .*: try again in some minutes"),
        (lambda hub: hub.statuses.update({"/api/": 429}), "asks to wait .*: try again in some minutes"),
        (lambda hub: setattr(hub, "status", 500), r"is out of order \(error 500\).*: try again later"),
        (lambda hub: setattr(hub, "status", 503), r"is out of order \(error 503\)"),
        (lambda hub: setattr(hub, "status", 418), r"refuses someone/tiny \(error 418\): check its name"),
        (lambda hub: hub.close(), "did not arrive from the Hub: check the connection"),
    ],
)
def test_a_hub_that_gives_nothing(
    hub: FakeHub, store: HubStore, change: Callable[[FakeHub], object], message: str
) -> None:
    change(hub)
    with refusal(store, message):
        look(OWN, settings=store.settings)
    with refusal(store, message):
        store.add(OWN)


def test_a_hub_that_does_not_answer(hub: FakeHub, settings: HubSettings) -> None:
    hub.silent = "GET"
    store = HubStore(replace(settings, patience=1.0))
    with refusal(store, "did not arrive from the Hub: check the connection"):
        store.add(OWN)


def test_a_token_in_the_environment_opens_nothing(
    hub: FakeHub, store: HubStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.private.add(OWN)
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    with refusal(store, "there is no public model"):
        store.add(OWN)
    assert not any("authorization" in headers for headers in hub.headers)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda hub: setattr(hub, "truncated", True), "did not arrive from the Hub"),
        (lambda hub: setattr(hub, "corrupted", True), "arrived damaged and was deleted: try again"),
        (lambda hub: hub.damaged.add("model.safetensors"), r"model\.safetensors of someone/tiny arrived dam"),
        (lambda hub: hub.damaged.add("tokenizer.json"), r"tokenizer\.json of someone/tiny arrived damaged"),
        (lambda hub: hub.statuses.update({"resolve/": 403}), r"refuses someone/tiny \(error 403\)"),
        (lambda hub: hub.statuses.update({"model.safetensors": 404}), "refuses someone/tiny"),
    ],
)
def test_a_download_that_goes_wrong_can_be_had_again(
    hub: FakeHub, store: HubStore, change: Callable[[FakeHub], object], message: str
) -> None:
    change(hub)
    with refusal(store, message):
        store.add(OWN)
    hub.truncated = hub.corrupted = False
    hub.damaged, hub.statuses = set(), {}
    assert store.add(OWN) == OWN


def test_a_network_that_goes_away_is_noticed(hub: FakeHub, settings: HubSettings) -> None:
    store = HubStore(replace(settings, patience=2.0))

    def watch(progress: Progress) -> None:
        if progress.stage == "downloading":
            hub.slow, hub.trickle = set(), 30.0

    with refusal(store, "did not arrive from the Hub"):
        store.add(OWN, progress=watch)


def test_a_slow_network_is_waited_for(hub: FakeHub, settings: HubSettings) -> None:
    """Some 12 kB a second: what has come shows before the largest piece is whole."""
    hub.files[OWN] |= {"README.md": hub.files[OWN]["README.md"] + b"More to read. " * 6000}
    hub.slow, hub.trickle = {"README.md"}, 0.004
    store = HubStore(replace(settings, patience=5.0))
    assert store.add(OWN) == OWN


def test_offline_by_order(store: HubStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with refusal(store, "did not arrive from the Hub"):
        store.add(OWN)


def test_a_host_that_is_not_there(store: HubStore) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    gone = HubStore(replace(store.settings, endpoint=f"http://127.0.0.1:{port}"))
    with refusal(gone, "check the connection and try again, or use a model that is here already"):
        gone.add(OWN)


@pytest.mark.parametrize(
    ("revision", "message"),
    [
        ("v2", "has no such revision: leave the revision out"),
        ("main?x=1", "'main\\?x=1' is no revision: write a branch, a tag or a commit"),
        ("../main", "is no revision"),
        ("a/../b", "is no revision"),
        ("x" * 10_000, "is no revision"),
        (None, "is no revision"),
    ],
)
def test_a_wrong_revision(store: HubStore, revision: Any, message: str) -> None:
    with refusal(store, message):
        store.add(OWN, revision)


def config_of(hub: FakeHub, **changes: object) -> None:
    config = json.loads(hub.files[OWN]["config.json"])
    hub.files[OWN]["config.json"] = json.dumps(config | changes).encode()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda hub: hub.files[OWN].pop("config.json"), r"has no config\.json, so it is no model"),
        (lambda hub: hub.files[OWN].update({"config.json": b"{"}), r"config\.json that cannot be read"),
        (lambda hub: hub.files[OWN].update({"config.json": b"[" * 9999}), r"config\.json that cannot be re"),
        (lambda hub: hub.files[OWN].update({"config.json": b"[1]"}), r"config\.json that describes no mo"),
        (lambda hub: hub.files[OWN].update({"config.json": bytes(2 << 20)}), r"config\.json of 2 MB"),
        (lambda hub: hub.files[OWN].pop("tokenizer.json"), r"lacks tokenizer\.json: push the whole"),
        (lambda hub: config_of(hub, format_version=9), "has format version '9' .*: update the program"),
        (lambda hub: config_of(hub, vocab_size=7), r"cannot be used: its tokenizer\.json has \d+ tokens"),
        (lambda hub: config_of(hub, network={"architecture": "x"}), "cannot be used: its config.json archi"),
        (lambda hub: config_of(hub, network={"num_layers": 10**6}), "its num_layers is 1000000, more than"),
        (lambda hub: hub.files[OWN].update({"model.safetensors": b"junk"}), "cannot be used: its model.saf"),
    ],
)
def test_a_repository_that_is_no_checkpoint(
    hub: FakeHub, store: HubStore, change: Callable[[FakeHub], object], message: str
) -> None:
    change(hub)
    with refusal(store, message):
        store.add(OWN)


@pytest.mark.parametrize("access", ["off", "curated"])
def test_what_the_server_does_not_allow(hub: FakeHub, settings: HubSettings, access: str) -> None:
    store = HubStore(replace(settings, access=access))
    with refusal(store, "fetches nothing from the Hub|only the models that it lists"):
        store.add(OWN)
    with refusal(store, "choose"):
        look(OWN, settings=store.settings)
    assert hub.requests == []


def test_too_large_for_the_cap(hub: FakeHub, settings: HubSettings) -> None:
    store = HubStore(replace(settings, max_bytes=1000))
    with refusal(store, "more than the 1 kB that this server fetches: choose a smaller model, or raise"):
        store.add(OWN)
    assert "model.safetensors" not in hub.bodies()


def test_too_big_for_the_memory(hub: FakeHub, store: HubStore, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = len(hub.files[OWN]["model.safetensors"])
    monkeypatch.setattr(room, "available_memory", lambda: 2 * weights - 1)
    with refusal(store, "needs more memory than this machine has free: choose a smaller model"):
        store.add(OWN)
    assert "model.safetensors" not in hub.bodies()
    monkeypatch.setattr(room, "available_memory", lambda: 2 * weights)
    store.add(OWN)


def test_memory_that_is_full_when_it_is_tried(store: HubStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object) -> None:
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes")

    monkeypatch.setattr(ready, "load_checkpoint", full)
    with refusal(store, "needs more memory than this machine has free"):
        store.add(OWN)


def test_a_disk_that_is_too_small(hub: FakeHub, store: HubStore, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage("/")._replace(free=room.SPARE_DISK)
    monkeypatch.setattr(room.shutil, "disk_usage", lambda path: usage)
    with refusal(store, "needs .* of disk where .* are free: remove a model, or free some space"):
        store.add(OWN)
    assert "model.safetensors" not in hub.bodies()


def test_a_disk_that_fills_up(store: HubStore, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Path.rename

    def full(self: Path, target: Path) -> Path:
        if self.name == "files":
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(self, target)

    monkeypatch.setattr(Path, "rename", full)
    with refusal(store, "the disk is full, so someone/tiny cannot be stored: remove a model"):
        store.add(OWN)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of files")
def test_a_disk_that_fills_up_during_the_download(store: HubStore) -> None:
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (700, before[1]))  # the download inherits it
    try:
        with refusal(store, "the disk is full, so someone/tiny cannot be stored: remove a model"):
            store.add(OWN)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert store.add(OWN) == OWN


def test_a_cache_that_cannot_be_written(settings: HubSettings, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(HubError, match="someone/tiny cannot be stored"):
        HubStore(replace(settings, root=blocked)).add(OWN)


def test_memory_is_told_by_the_machine_and_by_its_container(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "CGROUP", tmp_path)
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


def test_a_look_tells_what_would_be_fetched(hub: FakeHub, store: HubStore) -> None:
    hub.cards[OWN] = {"license": "mit", "language": ["es", "en"]}
    found = look(OWN, "v1", store.settings)
    sizes = {name: len(body) for name, body in hub.files[OWN].items()}
    names = ("config.json", "model.safetensors", "tokenizer.json", "README.md")
    assert (found.commit, found.kind, found.converts) == (COMMIT, "own", False)
    assert found.bytes == sum(sizes[name] for name in names)
    assert found.weight_bytes == sizes["model.safetensors"]
    assert (found.licence, found.languages) == ("mit", ("es", "en"))
    assert "model.safetensors" not in hub.bodies()
