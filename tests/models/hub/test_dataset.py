"""Files of a local Hub: downloads, checks, and the sentence of each failure."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from huggingface_hub import constants

from models.corpus.files.formats import MAX_BYTES, read_table_file
from models.corpus.pairs import DataError
from models.hub import dataset
from models.hub.dataset import download_file
from tests.fakes.servers.hub_server import COMMIT, FakeHub
from tests.refusals import Refusal, refused
from tests.waiting import PATIENCE

pytestmark = pytest.mark.slow

CONTENT = "Hola.\tHello.\n¿Qué?\tWhat?\n".encode() * 20
FILES = {"someone/pairs": {"data/train.tsv": CONTENT, "model.bin": b"x"}, "legacy": {"a.csv": b"a,b\n"}}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    server = FakeHub(datasets=FILES)
    use_hub(server.url, monkeypatch)
    yield server
    server.close()


def use_hub(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Send the requests of the library to `url`, and wait for an answer as long as a test may."""
    template = constants.HUGGINGFACE_CO_URL_TEMPLATE.replace(constants.ENDPOINT, url)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
    monkeypatch.setattr(constants, "ENDPOINT", url)
    monkeypatch.setattr(dataset, "ANSWER_SECONDS", PATIENCE)


@pytest.mark.parametrize("large", [False, True])
def test_a_file_has_its_commit(hub: FakeHub, cache: Path, large: bool) -> None:
    hub.large = large
    result = download_file(" someone/pairs ", "data/train.tsv")
    assert (result.repo, result.file_name, result.revision) == ("someone/pairs", "data/train.tsv", COMMIT)
    assert result.path.read_bytes() == CONTENT
    assert result.path.is_relative_to(cache)
    assert len(read_table_file(result.path, result.file_name).rows) == 40


@pytest.mark.parametrize("name", ["legacy", "https://huggingface.co/datasets/legacy/"])
def test_a_dataset_is_found_by_name_without_owner_and_by_address(hub: FakeHub, name: str) -> None:
    assert download_file(name, "a.csv").repo == "legacy"


@pytest.mark.usefixtures("hub")
def test_a_download_never_fills_the_disk(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dataset, "SPARE_DISK_BYTES", 1 << 62)
    with refused(DataError, "disk_nearly_full", "data/train.tsv of someone/pairs"):
        download_file("someone/pairs", "data/train.tsv")
    assert not list(cache.rglob("*.tsv"))


def test_no_account_is_used(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    download_file("someone/pairs", "data/train.tsv")
    assert hub.headers
    assert not any("authorization" in headers for headers in hub.headers)


def test_a_cached_file_is_not_fetched_again(hub: FakeHub) -> None:
    for _ in range(2):
        download_file("someone/pairs", "data/train.tsv")
    assert sum(request.startswith("GET") for request in hub.requests) == 1


@pytest.mark.parametrize(
    ("repo", "file", "refusal"),
    [
        ("someone/nothing", "a.tsv", ("no_such_dataset", "a.tsv of someone/nothing")),
        ("someone/pairs", "data/valid.tsv", ("dataset_no_such_file", "data/valid.tsv of someone/pairs")),
        ("someone/pairs", "model.bin", ("dataset_file_kind_unknown", "model.bin")),
        ("someone/pairs", "a.parquet", ("dataset_file_kind_unknown",)),
        ("someone/pairs", "../a.tsv", ("no_dataset_path",)),
        ("someone/pairs", "/a.tsv", ("no_dataset_path",)),
        ("someone/pairs", "a\\..\\b.tsv", ("no_dataset_path",)),
        ("some one/pairs", "a.tsv", ("no_dataset_name", "some one/pairs")),
        ("a/b/c", "a.tsv", ("no_dataset_name",)),
        ("../etc", "a.tsv", ("no_dataset_name",)),
        ("a/b--c", "a.tsv", ("no_dataset_name",)),
        ("http://evil/datasets/x", "a.tsv", ("no_dataset_name",)),
        ("", "a.tsv", ("no_dataset_name",)),
        ("x" * 500, "a.tsv", ("no_dataset_name",)),
    ],
)
def test_a_wrong_name_is_refused(hub: FakeHub, repo: str, file: str, refusal: Refusal) -> None:
    with refused(DataError, *refusal) as excinfo:
        download_file(repo, file)
    assert len(str(excinfo.value)) < 250
    assert "GET" not in str(hub.requests)


def test_a_gated_dataset_is_refused(hub: FakeHub) -> None:
    hub.gated = {"someone/pairs"}
    with refused(DataError, "dataset_gated"):
        download_file("someone/pairs", "data/train.tsv")


@pytest.mark.parametrize(
    ("status", "refusal"),
    [(429, ("hub_busy",)), (500, ("dataset_refused", 500)), (503, ("dataset_refused", 503))],
)
def test_a_refusal_of_the_hub_is_reported_without_a_second_request(
    hub: FakeHub, status: int, refusal: Refusal
) -> None:
    hub.status = status
    with refused(DataError, *refusal):
        download_file("someone/pairs", "data/train.tsv")
    assert len(hub.requests) == 1


def test_a_file_that_is_too_large_is_refused_before_it_is_fetched(hub: FakeHub) -> None:
    hub.claimed = {"data/train.tsv": MAX_BYTES + 1_000_000}
    with refused(DataError, "dataset_file_too_large", "21", 20):
        download_file("someone/pairs", "data/train.tsv")
    assert [request.split()[0] for request in hub.requests] == ["HEAD"]


def test_a_hub_that_refuses_the_connection_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        use_hub(f"http://127.0.0.1:{free.getsockname()[1]}", monkeypatch)
    with refused(DataError, "dataset_unreachable"):
        download_file("someone/pairs", "data/train.tsv")


@pytest.mark.parametrize("method", ["HEAD", "GET"])
def test_a_request_to_a_silent_hub_is_abandoned(
    hub: FakeHub, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.silent = method
    monkeypatch.setattr(dataset, "ANSWER_SECONDS", 1)
    with refused(DataError, ("dataset_late", "dataset_unreachable")):
        download_file("someone/pairs", "data/train.tsv")


@pytest.mark.full
@pytest.mark.parametrize("fault", ["truncated", "trickle"])
def test_a_download_without_an_end_is_abandoned(
    hub: FakeHub, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dataset, "ANSWER_SECONDS", 2)
    setattr(hub, fault, 0.05 if fault == "trickle" else True)
    with refused(DataError, "dataset_late", "data/train.tsv of someone/pairs"):
        download_file("someone/pairs", "data/train.tsv")


def test_a_download_that_always_breaks_off_is_abandoned_by_the_library(hub: FakeHub) -> None:
    hub.truncated = True
    with refused(DataError, "dataset_unreachable"):
        download_file("someone/pairs", "data/train.tsv")


@pytest.mark.parametrize("large", [False, True])
def test_a_damaged_file_is_refused_and_fetched_again(hub: FakeHub, large: bool) -> None:
    hub.corrupted, hub.large = True, large
    with refused(DataError, "dataset_file_damaged"):
        download_file("someone/pairs", "data/train.tsv")
    hub.corrupted = False
    result = download_file("someone/pairs", "data/train.tsv")
    assert result.path.read_bytes() == CONTENT


@pytest.mark.usefixtures("hub")
def test_a_cache_that_cannot_be_written_is_reported(cache: Path) -> None:
    cache.write_text("")
    with refused(DataError, "dataset_not_stored"):
        download_file("someone/pairs", "data/train.tsv")
