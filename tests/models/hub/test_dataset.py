"""Files of the Hub, from a loopback one: what comes, what is checked, and what each failure says."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from models.corpus.files.formats import MAX_BYTES, read_table_file
from models.corpus.pairs import DataError
from models.hub.dataset import download_file
from tests.fakes.hub_server import COMMIT, FakeHub

pytestmark = pytest.mark.slow

CONTENT = "Hola.\tHello.\n¿Qué?\tWhat?\n".encode() * 20
FILES = {"someone/pairs": {"data/train.tsv": CONTENT, "model.bin": b"x"}, "legacy": {"a.csv": b"a,b\n"}}


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    server = FakeHub(datasets=FILES)
    yield server
    server.close()


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("revision", ["main", "", "v1", COMMIT])
def test_a_file_comes_with_the_commit_it_is_of(hub: FakeHub, cache: Path, revision: str, large: bool) -> None:
    hub.large = large
    found = download_file(
        " someone/pairs ", "data/train.tsv", revision=revision, endpoint=hub.url, cache_folder=cache
    )
    assert (found.repo, found.file_name, found.revision, found.bytes) == (
        "someone/pairs",
        "data/train.tsv",
        COMMIT,
        len(CONTENT),
    )
    assert found.path.read_bytes() == CONTENT
    assert found.path.is_relative_to(cache)
    assert len(read_table_file(found.path, found.file_name).rows) == 40


@pytest.mark.parametrize("name", ["legacy", "https://huggingface.co/datasets/legacy/"])
def test_a_dataset_without_an_owner_and_one_by_its_address(hub: FakeHub, cache: Path, name: str) -> None:
    assert download_file(name, "a.csv", endpoint=hub.url, cache_folder=cache).repo == "legacy"


def test_what_visitors_fetch_does_not_fill_the_disk(hub: FakeHub, cache: Path) -> None:
    with pytest.raises(DataError, match=r"disk is nearly full, so data/train\.tsv of someone/pairs is not"):
        download_file(
            "someone/pairs", "data/train.tsv", endpoint=hub.url, cache_folder=cache, spare_disk=1 << 62
        )
    assert not list(cache.rglob("*.tsv"))


def test_no_account_is_used(hub: FakeHub, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    download_file("someone/pairs", "data/train.tsv", endpoint=hub.url, cache_folder=cache)
    assert hub.headers
    assert not any("authorization" in headers for headers in hub.headers)


def test_what_is_in_the_cache_is_not_fetched_again(hub: FakeHub, cache: Path) -> None:
    for _ in range(2):
        download_file("someone/pairs", "data/train.tsv", endpoint=hub.url, cache_folder=cache)
    assert sum(request.startswith("GET") for request in hub.requests) == 1


@pytest.mark.parametrize(
    ("repo", "file", "message"),
    [
        ("someone/nothing", "a.tsv", r"there is no public dataset for a\.tsv of someone/nothing: check how"),
        (
            "someone/pairs",
            "data/valid.tsv",
            r"there is no file data/valid\.tsv of someone/pairs: copy its path",
        ),
        ("someone/pairs", "model.bin", r"'model\.bin' is of no kind that can be read: choose \.tsv, "),
        ("someone/pairs", "a.parquet", "is of no kind that can be read"),
        ("someone/pairs", "../a.tsv", "is no path within a dataset: write it as on the Files page"),
        ("someone/pairs", "/a.tsv", "is no path within a dataset"),
        ("someone/pairs", "a\\..\\b.tsv", "is no path within a dataset"),
        ("some one/pairs", "a.tsv", "'some one/pairs' is no name of a dataset: write it as owner/name"),
        ("a/b/c", "a.tsv", "is no name of a dataset"),
        ("../etc", "a.tsv", "is no name of a dataset"),
        ("a/b--c", "a.tsv", "is no name of a dataset"),
        ("http://evil/datasets/x", "a.tsv", "is no name of a dataset"),
        ("", "a.tsv", "is no name of a dataset"),
        ("x" * 500, "a.tsv", "is no name of a dataset"),
    ],
)
def test_a_wrong_name_is_refused(hub: FakeHub, cache: Path, repo: str, file: str, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        download_file(repo, file, endpoint=hub.url, cache_folder=cache)
    assert len(str(caught.value)) < 250
    assert "GET" not in str(hub.requests)


@pytest.mark.parametrize(
    ("revision", "message"),
    [
        ("v2", "does not exist at this revision: leave the revision out"),
        ("main?x=1", "'main\\?x=1' is no revision"),
        ("a b", "is no revision: write a branch, a tag or a commit"),
    ],
)
def test_a_wrong_revision_is_refused(hub: FakeHub, cache: Path, revision: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        download_file(
            "someone/pairs", "data/train.tsv", revision=revision, endpoint=hub.url, cache_folder=cache
        )


def test_a_gated_dataset_is_refused_with_the_way_in(hub: FakeHub, cache: Path) -> None:
    hub.gated = {"someone/pairs"}
    with pytest.raises(DataError, match="asks for an account: accept its terms on its page, download it"):
        download_file("someone/pairs", "data/train.tsv", endpoint=hub.url, cache_folder=cache)


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (429, "asks to wait .*: try again in some minutes"),
        (500, "error 500 .*: try again later"),
        (503, "503"),
    ],
)
def test_a_hub_that_refuses_is_named_at_once(hub: FakeHub, cache: Path, status: int, message: str) -> None:
    hub.status = status
    start = time.perf_counter()
    with pytest.raises(DataError, match=message):
        download_file("someone/pairs", "data/train.tsv", endpoint=hub.url, cache_folder=cache)
    assert time.perf_counter() - start < 25


def test_too_large_a_file_is_refused_before_it_is_fetched(hub: FakeHub, cache: Path) -> None:
    hub.claimed = {"data/train.tsv": MAX_BYTES + 1_000_000}
    with pytest.raises(DataError, match="has 21 MB, more than 20 MB: choose a smaller file"):
        download_file("someone/pairs", "data/train.tsv", endpoint=hub.url, cache_folder=cache)
    assert [request.split()[0] for request in hub.requests] == ["HEAD"]


def test_no_network_is_named_at_once(cache: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    start = time.perf_counter()
    with pytest.raises(DataError, match=r"the Hub cannot be reached for .*: check the connection, or upload"):
        download_file(
            "someone/pairs", "data/train.tsv", endpoint=f"http://127.0.0.1:{port}", cache_folder=cache
        )
    assert time.perf_counter() - start < 25


@pytest.mark.parametrize("method", ["HEAD", "GET"])
def test_a_hub_that_does_not_answer_is_given_up(hub: FakeHub, cache: Path, method: str) -> None:
    hub.silent = method
    start = time.perf_counter()
    with pytest.raises(DataError, match=r"(did not arrive in time|cannot be reached)"):
        download_file("someone/pairs", "data/train.tsv", endpoint=hub.url, cache_folder=cache, patience=1)
    assert time.perf_counter() - start < 25


@pytest.mark.parametrize("fault", ["truncated", "trickle"])
def test_a_download_that_does_not_end_is_given_up(hub: FakeHub, cache: Path, fault: str) -> None:
    setattr(hub, fault, 0.05 if fault == "trickle" else True)
    start = time.perf_counter()
    with pytest.raises(
        DataError, match=r"data/train\.tsv of someone/pairs did not arrive in time: try again"
    ):
        download_file("someone/pairs", "data/train.tsv", endpoint=hub.url, cache_folder=cache, patience=2)
    assert time.perf_counter() - start < 25


def test_a_download_that_breaks_off_always_is_given_up_by_the_library_too(hub: FakeHub, cache: Path) -> None:
    hub.truncated = True
    with pytest.raises(DataError, match="the Hub cannot be reached for"):
        download_file("someone/pairs", "data/train.tsv", endpoint=hub.url, cache_folder=cache, patience=60)


@pytest.mark.parametrize("large", [False, True])
def test_a_damaged_file_is_refused_and_fetched_anew(hub: FakeHub, cache: Path, large: bool) -> None:
    hub.corrupted, hub.large = True, large
    with pytest.raises(DataError, match="arrived damaged: try again"):
        download_file("someone/pairs", "data/train.tsv", endpoint=hub.url, cache_folder=cache)
    hub.corrupted = False
    found = download_file("someone/pairs", "data/train.tsv", endpoint=hub.url, cache_folder=cache)
    assert found.path.read_bytes() == CONTENT


def test_a_cache_that_cannot_be_written_is_a_sentence(hub: FakeHub, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(DataError, match="cannot be stored"):
        download_file("someone/pairs", "data/train.tsv", endpoint=hub.url, cache_folder=blocked)
