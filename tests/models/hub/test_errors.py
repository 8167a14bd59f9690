"""Every failure is one sentence with a remedy, and leaves no file behind."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from models.hub.download.fetch import DownloadProgress
from models.hub.errors import HubError
from models.hub.listing.repository import read_listing
from models.hub.settings import HubSettings
from models.hub.storage import preparation as ready
from models.hub.storage import work_folders as room
from models.hub.storage.store import HubStore
from tests.fakes.servers.hub_server import COMMIT, FakeHub
from tests.models.hub.conftest import REPOSITORY
from tests.models.hub.test_store import left_behind
from tests.refusals import Refusal, refused

pytestmark = pytest.mark.slow

UNUSABLE, WEIGHTS = "hub_model_unusable", "model.safetensors"


class Clock:
    """The clock of downloads, which a test moves."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr("models.hub.download.fetch.time", self)

    def monotonic(self) -> float:
        return self.now


@contextmanager
def no_model(store: HubStore, code: str | tuple[str, ...], *values: object) -> Iterator[None]:
    """Expect a refusal in one sentence, and no stored model."""
    with refused(HubError, code, *values) as excinfo:
        yield
    text = str(excinfo.value)
    assert len(text) < 400
    assert "\n" not in text
    assert store.names() == ()
    assert left_behind(store) == []


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        (lambda hub: hub.files.clear(), ("hub_no_such_model", "someone/tiny")),
        (lambda hub: hub.private.add(REPOSITORY), ("hub_no_such_model", "someone/tiny")),
        (lambda hub: hub.gated.add(REPOSITORY), ("hub_gated",)),
        (lambda hub: setattr(hub, "status", 429), ("hub_busy",)),
        (lambda hub: hub.statuses.update({"/api/": 429}), ("hub_busy",)),
        (lambda hub: setattr(hub, "status", 500), ("hub_out_of_order", 500)),
        (lambda hub: setattr(hub, "status", 503), ("hub_out_of_order", 503)),
        (lambda hub: setattr(hub, "status", 418), ("hub_refuses", "someone/tiny", 418)),
        (lambda hub: hub.close(), ("hub_unreachable",)),
    ],
)
def test_a_hub_without_a_usable_answer_is_reported(
    hub: FakeHub, store: HubStore, change: Callable[[FakeHub], object], refusal: Refusal
) -> None:
    change(hub)
    with no_model(store, *refusal):
        read_listing(REPOSITORY, settings=store.settings)
    with no_model(store, *refusal):
        store.add(REPOSITORY)


def test_a_hub_that_does_not_answer_is_unreachable(hub: FakeHub, settings: HubSettings) -> None:
    hub.silent = "GET"
    store = HubStore(replace(settings, timeout=1.0))
    with no_model(store, "hub_unreachable"):
        store.add(REPOSITORY)


def test_a_token_in_the_environment_is_not_used(
    hub: FakeHub, store: HubStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.private.add(REPOSITORY)
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    with no_model(store, "hub_no_such_model"):
        store.add(REPOSITORY)
    assert not any("authorization" in headers for headers in hub.headers)


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        (lambda hub: setattr(hub, "truncated", True), ("hub_unreachable",)),
        (lambda hub: setattr(hub, "corrupted", True), ("hub_file_damaged",)),
        (lambda hub: hub.damaged.add("model.safetensors"), ("hub_file_damaged", "model.safetensors")),
        (lambda hub: hub.damaged.add("tokenizer.json"), ("hub_file_damaged", "tokenizer.json")),
        (lambda hub: hub.statuses.update({"resolve/": 403}), ("hub_refuses", "someone/tiny", 403)),
        (lambda hub: hub.statuses.update({"model.safetensors": 404}), ("hub_refuses", "someone/tiny")),
    ],
)
def test_a_failed_download_can_be_repeated(
    hub: FakeHub, store: HubStore, change: Callable[[FakeHub], object], refusal: Refusal
) -> None:
    change(hub)
    with no_model(store, *refusal):
        store.add(REPOSITORY)
    hub.truncated = hub.corrupted = False
    hub.damaged, hub.statuses = set(), {}
    assert store.add(REPOSITORY) == REPOSITORY


def test_a_network_lost_during_a_download_is_reported(
    hub: FakeHub, store: HubStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(monkeypatch)

    def watch(progress: DownloadProgress) -> None:
        if progress.stage == "downloading":
            clock.now += 2 * store.settings.timeout

    hub.gate.clear()
    with no_model(store, "hub_unreachable"):
        store.add(REPOSITORY, progress=watch)


def test_a_slow_network_is_tolerated(hub: FakeHub, store: HubStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Progress is visible before the largest piece is complete."""
    hub.files[REPOSITORY] |= {"README.md": hub.files[REPOSITORY]["README.md"].ljust(80_000)}
    hub.slow = {"README.md"}
    hub.gate.clear()
    clock = Clock(monkeypatch)
    size = read_listing(REPOSITORY, settings=store.settings).bytes

    def watch(progress: DownloadProgress) -> None:
        if progress.stage == "downloading":
            clock.now += 0.9 * store.settings.timeout
            if progress.done > size - 60_000:
                hub.gate.set()

    assert store.add(REPOSITORY, progress=watch) == REPOSITORY
    assert clock.now > store.settings.timeout


def test_the_hub_is_unreachable_in_offline_mode(store: HubStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with no_model(store, "hub_unreachable"):
        store.add(REPOSITORY)


def test_a_port_without_a_server_is_unreachable(store: HubStore) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    other_store = HubStore(replace(store.settings, endpoint=f"http://127.0.0.1:{port}"))
    with no_model(other_store, "hub_unreachable"):
        other_store.add(REPOSITORY)


@pytest.mark.parametrize(
    ("revision", "refusal"),
    [
        ("v2", ("hub_no_such_revision",)),
        ("main?x=1", ("no_revision", "main?x=1")),
        ("../main", ("no_revision",)),
        ("a/../b", ("no_revision",)),
        ("x" * 10_000, ("no_revision",)),
        (None, ("no_revision",)),
    ],
)
def test_a_wrong_revision_of_a_model_is_refused(store: HubStore, revision: Any, refusal: Refusal) -> None:
    with no_model(store, *refusal):
        store.add(REPOSITORY, revision)


def spoil(hub: FakeHub, config: bytes) -> None:
    hub.files[REPOSITORY]["config.json"] = config


def config_of(hub: FakeHub, **changes: object) -> None:
    config = json.loads(hub.files[REPOSITORY]["config.json"])
    hub.files[REPOSITORY]["config.json"] = json.dumps(config | changes).encode()


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        (lambda hub: hub.files[REPOSITORY].pop("config.json"), ("hub_no_config", "config.json")),
        (lambda hub: spoil(hub, b"{"), ("hub_file_unreadable", "config.json")),
        (lambda hub: spoil(hub, b"[" * 9999), ("hub_file_unreadable", "config.json")),
        (lambda hub: spoil(hub, b"[1]"), ("hub_config_no_model", "config.json")),
        (lambda hub: spoil(hub, bytes(2 << 20)), ("hub_config_too_large", "config.json", "2.1 MB")),
        (lambda hub: hub.files[REPOSITORY].pop("tokenizer.json"), ("hub_files_missing", "tokenizer.json")),
        (lambda hub: config_of(hub, format_version=9), ("hub_other_format", "9")),
        (lambda hub: config_of(hub, vocab_size=7), (UNUSABLE, "tokenizer.json", "other_vocabulary")),
        (lambda hub: config_of(hub, network={"architecture": "x"}), (UNUSABLE, "config.json", "not_one_of")),
        (lambda hub: config_of(hub, network={"num_layers": 10**6}), ("hub_number_too_large", "num_layers")),
        (lambda hub: hub.files[REPOSITORY].update({WEIGHTS: b"junk"}), (UNUSABLE, WEIGHTS)),
    ],
)
def test_a_repository_that_is_no_checkpoint_is_refused(
    hub: FakeHub, store: HubStore, change: Callable[[FakeHub], object], refusal: Refusal
) -> None:
    change(hub)
    with no_model(store, *refusal):
        store.add(REPOSITORY)


@pytest.mark.parametrize("access", ["off", "curated"])
def test_a_forbidden_model_is_refused(hub: FakeHub, settings: HubSettings, access: str) -> None:
    store = HubStore(replace(settings, access=access))
    with no_model(store, ("hub_not_listed", "hub_off")):
        store.add(REPOSITORY)
    with no_model(store, ("hub_not_listed", "hub_off")):
        read_listing(REPOSITORY, settings=store.settings)
    assert hub.requests == []


def test_a_model_above_the_size_cap_is_refused(hub: FakeHub, settings: HubSettings) -> None:
    store = HubStore(replace(settings, max_bytes=1000))
    with no_model(store, "hub_too_large", "1 kB"):
        store.add(REPOSITORY)
    assert "model.safetensors" not in hub.bodies()


def test_too_little_memory_is_reported(
    hub: FakeHub, store: HubStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = len(hub.files[REPOSITORY]["model.safetensors"])
    monkeypatch.setattr(room, "available_memory", lambda: 2 * weights - 1)
    with no_model(store, "too_little_memory"):
        store.add(REPOSITORY)
    assert "model.safetensors" not in hub.bodies()
    monkeypatch.setattr(room, "available_memory", lambda: 2 * weights)
    store.add(REPOSITORY)


def test_full_memory_during_the_trial_is_reported(store: HubStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object) -> None:
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes")

    monkeypatch.setattr(ready, "load_checkpoint", full)
    with no_model(store, "too_little_memory"):
        store.add(REPOSITORY)


def test_a_listing_states_size_and_licence_without_fetching_weights(hub: FakeHub, store: HubStore) -> None:
    hub.cards[REPOSITORY] = {"license": "mit", "language": ["es", "en"]}
    result = read_listing(REPOSITORY, "v1", store.settings)
    sizes = {name: len(body) for name, body in hub.files[REPOSITORY].items()}
    names = ("config.json", "model.safetensors", "tokenizer.json", "README.md")
    assert (result.commit, result.kind, result.converts) == (COMMIT, "own", False)
    assert result.bytes == sum(sizes[name] for name in names)
    assert result.weight_bytes == sizes["model.safetensors"]
    assert (result.licence, result.languages) == ("mit", ("es", "en"))
    assert "model.safetensors" not in hub.bodies()
