"""One file of a local publisher: it is complete or absent, and a failure has a reason."""

from __future__ import annotations

import errno
import os
import resource
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from email.message import Message
from functools import partial
from http.client import HTTPMessage
from io import BytesIO
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

from models.corpus.pairs import DataError
from models.corpus.public.download import _SafeRedirects, download
from tests.fakes.servers.corpus_publisher import Publisher
from tests.messages import says
from tests.refusals import Refusal, refused
from tests.waiting import PATIENCE

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[4]
CONTENT = b"one\tuno\n" * 40_000
SILENCE = "models.corpus.public.download.SILENCE_SECONDS"


@pytest.fixture
def publisher(monkeypatch: pytest.MonkeyPatch) -> Iterator[Publisher]:
    monkeypatch.setattr(SILENCE, PATIENCE)
    server = Publisher({"a.txt": CONTENT})
    yield server
    server.close()


def fetch(publisher: Publisher, folder: Path, max_bytes: int = 1_000_000) -> bytes:
    target = folder / "sub" / "a.txt"
    download(f"{publisher.url}/a.txt", target, max_bytes, Path.read_bytes)
    return target.read_bytes()


def no_file(
    publisher: Publisher,
    folder: Path,
    code: str | tuple[str, ...],
    *values: object,
    max_bytes: int = 1_000_000,
) -> str:
    """The sentence of a refused download, which leaves no file."""
    with refused(DataError, code, *values) as excinfo:
        fetch(publisher, folder, max_bytes)
    assert [path for path in folder.rglob("*") if path.is_file()] == []
    return str(excinfo.value)


@pytest.mark.parametrize("no_length", [False, True])
def test_a_file_comes_with_its_progress(publisher: Publisher, tmp_path: Path, no_length: bool) -> None:
    publisher.no_length = no_length
    reports: list[tuple[int, int | None]] = []
    target = tmp_path / "a.txt"
    download(
        f"{publisher.url}/a.txt",
        target,
        1_000_000,
        Path.read_bytes,
        progress=lambda done, total: reports.append((done, total)),
    )
    assert target.read_bytes() == CONTENT
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
    assert reports[-1] == (len(CONTENT), None if no_length else len(CONTENT))
    assert [done for done, _ in reports] == sorted(done for done, _ in reports)
    assert "Unrolled" in publisher.agents[0]


def test_a_file_that_is_refused_leaves_the_old_one(publisher: Publisher, tmp_path: Path) -> None:
    def refuse(path: Path) -> None:
        assert path.read_bytes() == CONTENT
        raise DataError("unwanted", "not this one")

    target = tmp_path / "a.txt"
    target.write_text("old")
    with refused(DataError, "unwanted"):
        download(f"{publisher.url}/a.txt", target, 1_000_000, refuse)
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
    assert target.read_text() == "old"


def test_a_broken_download_is_refused_with_a_remedy(publisher: Publisher, tmp_path: Path) -> None:
    publisher.truncated = True
    sentence = no_file(publisher, tmp_path, "download_broke_off", "a.txt", "160,000", "320,000")
    by_hand = f"or download {publisher.url}/a.txt with a browser and put it at {tmp_path / 'sub' / 'a.txt'}"
    assert sentence.endswith(by_hand)


@pytest.mark.parametrize("status", [403, 404, 500])
def test_an_http_error_names_its_status(publisher: Publisher, tmp_path: Path, status: int) -> None:
    publisher.status = status
    no_file(publisher, tmp_path, "download_refused", status, "a.txt")


@pytest.mark.parametrize("no_length", [False, True])
def test_the_download_of_a_file_beyond_the_limit_is_abandoned(
    publisher: Publisher, tmp_path: Path, no_length: bool
) -> None:
    publisher.no_length = no_length
    no_file(publisher, tmp_path, "download_too_large", 0, max_bytes=len(CONTENT) - 1)
    assert fetch(publisher, tmp_path, max_bytes=len(CONTENT)) == CONTENT


@pytest.mark.parametrize(
    ("declared", "max_bytes", "refusal"),
    [
        ("8", 200_000, ("download_too_long", "a.txt", "8")),
        ("200000", 250_000, ("download_too_long", "a.txt", "200,000")),
        ("9" * 5000, 200_000, ("download_too_large", 0)),
    ],
)
def test_a_false_length_does_not_lift_the_limit(
    publisher: Publisher, tmp_path: Path, declared: str, max_bytes: int, refusal: Refusal
) -> None:
    publisher.declared_length = declared
    no_file(publisher, tmp_path, *refusal, max_bytes=max_bytes)


def test_a_file_may_come_in_chunks(publisher: Publisher, tmp_path: Path) -> None:
    publisher.declared_length = str(len(CONTENT))
    assert fetch(publisher, tmp_path, max_bytes=len(CONTENT)) == CONTENT


def test_a_file_whose_stated_length_is_too_large_is_not_fetched(publisher: Publisher, tmp_path: Path) -> None:
    reports: list[int] = []
    with refused(DataError, "download_too_large"):
        download(
            f"{publisher.url}/a.txt",
            tmp_path / "a.txt",
            1000,
            Path.read_bytes,
            progress=lambda done, total: reports.append(done),
        )
    assert reports == []


def test_a_download_from_a_hanging_server_is_abandoned(
    publisher: Publisher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publisher.silent = True
    monkeypatch.setattr(SILENCE, 0.5)
    no_file(publisher, tmp_path, "download_unreachable", "a.txt", "no answer in time")


def test_a_download_from_a_trickling_server_is_abandoned(
    publisher: Publisher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publisher.trickle = 0.01  # never silent for long, and never done
    clock = SimpleNamespace(monotonic=partial(next, count(step=100)))  # a hundred seconds at each look
    monkeypatch.setattr("models.corpus.public.download.time", clock)
    no_file(publisher, tmp_path, "download_late", "a.txt", "600")


def test_a_download_from_a_silent_server_is_abandoned(
    publisher: Publisher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publisher.trickle = PATIENCE
    monkeypatch.setattr(SILENCE, 4)
    no_file(publisher, tmp_path, "download_stopped", "a.txt", "no answer in time")


def test_a_server_that_refuses_the_connection_is_reported(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with refused(DataError, "download_unreachable", "a.txt", "Connection refused"):
        download(f"http://127.0.0.1:{port}/a.txt", tmp_path / "a.txt", 100, Path.read_bytes)


@pytest.mark.parametrize("url", ["file:///etc/hostname", "ftp://127.0.0.1/a.txt", "/etc/hostname", "a"])
def test_only_http_addresses_are_read(url: str, tmp_path: Path) -> None:
    with refused(DataError, "no_https_address"):
        download(url, tmp_path / "a.txt", 100, Path.read_bytes)


def test_only_http_redirects_are_followed(publisher: Publisher, tmp_path: Path) -> None:
    other = Publisher({"b.txt": b"there"})
    publisher.status, publisher.location = 302, f"{other.url}/b.txt"
    assert fetch(publisher, tmp_path / "kept") == b"there"
    other.close()
    for location in ("ftp://127.0.0.1/a.txt", "file:///etc/hostname"):
        publisher.location = location
        no_file(publisher, tmp_path / "none", ("download_refused", "download_unreachable"))


@pytest.mark.parametrize(
    ("address", "allowed"), [("https://b.example/x", True), ("http://b.example/x", False)]
)
def test_a_redirect_does_not_leave_https(address: str, allowed: bool) -> None:
    request = urllib.request.Request("https://a.example/x")
    headers: HTTPMessage | Message = HTTPMessage()

    def follow() -> urllib.request.Request | None:
        return _SafeRedirects().redirect_request(request, BytesIO(), 302, "", headers, address)  # type: ignore[arg-type]

    if allowed:
        result = follow()
        assert result is not None
        assert result.full_url == address
    else:
        with pytest.raises(urllib.error.URLError, match="https"):
            follow()


def test_a_folder_that_cannot_be_made_is_reported(publisher: Publisher, tmp_path: Path) -> None:
    (tmp_path / "sub").write_text("a file where the folder should be")
    with refused(DataError, "download_not_stored", "a.txt"):
        fetch(publisher, tmp_path)


def test_a_full_disk_is_named_and_leaves_nothing(publisher: Publisher, tmp_path: Path) -> None:
    """The process may not write files beyond 64 KiB, so it fails midway as on a full disk."""
    publisher.files = {"cmudict.dict": CONTENT}
    child = subprocess.run(
        [sys.executable, "-m", "models.corpus.public", "g2p-cmudict"],
        cwd=ROOT,
        env={"UNROLLED_CORPORA": str(tmp_path), "UNROLLED_CORPORA_URL": publisher.url},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (65_536, 65_536)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 1
    assert says(child.stderr, "download_not_stored", file="cmudict.dict", reason=os.strerror(errno.EFBIG))
    assert "Traceback" not in child.stderr
    assert [path.name for path in tmp_path.rglob("*") if path.stat().st_size and path.is_file()] == []
