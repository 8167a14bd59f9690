"""One file of a publisher, from a loopback one: it comes whole or not at all, and a sentence says why not."""

from __future__ import annotations

import re
import resource
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from email.message import Message
from http.client import HTTPMessage
from io import BytesIO
from pathlib import Path

import pytest

from models.corpus.pairs import DataError
from models.corpus.public.download import Patience, _SafeRedirects, download
from tests.fakes.corpus_publisher import Publisher

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[4]
CONTENT = b"one\tuno\n" * 40_000
SHORT = Patience(silence=1, whole=2)


@pytest.fixture
def publisher() -> Iterator[Publisher]:
    server = Publisher({"a.txt": CONTENT})
    yield server
    server.close()


def fetch(publisher: Publisher, folder: Path, max_bytes: int = 1_000_000) -> bytes:
    target = folder / "sub" / "a.txt"
    download(f"{publisher.url}/a.txt", target, max_bytes, Path.read_bytes, patience=SHORT)
    return target.read_bytes()


def refused(publisher: Publisher, folder: Path, message: str, max_bytes: int = 1_000_000) -> str:
    """The sentence; nothing may be left on disk."""
    with pytest.raises(DataError, match=message) as caught:
        fetch(publisher, folder, max_bytes)
    assert [path for path in folder.rglob("*") if path.is_file()] == []
    return str(caught.value)


@pytest.mark.parametrize("no_length", [False, True])
def test_a_file_comes_with_its_progress(publisher: Publisher, tmp_path: Path, no_length: bool) -> None:
    publisher.no_length = no_length
    seen: list[tuple[int, int | None]] = []
    target = tmp_path / "a.txt"
    download(
        f"{publisher.url}/a.txt",
        target,
        1_000_000,
        Path.read_bytes,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert target.read_bytes() == CONTENT
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
    assert seen[-1] == (len(CONTENT), None if no_length else len(CONTENT))
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert "Unrolled" in publisher.agents[0]


def test_a_file_that_is_refused_leaves_the_old_one(publisher: Publisher, tmp_path: Path) -> None:
    def refuse(path: Path) -> None:
        assert path.read_bytes() == CONTENT
        raise DataError("not this one")

    target = tmp_path / "a.txt"
    target.write_text("old")
    with pytest.raises(DataError, match="not this one"):
        download(f"{publisher.url}/a.txt", target, 1_000_000, refuse)
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
    assert target.read_text() == "old"


def test_half_a_file_is_refused_and_the_way_by_hand_is_told(publisher: Publisher, tmp_path: Path) -> None:
    publisher.truncated = True
    sentence = refused(publisher, tmp_path, "a.txt broke off after 160,000 of 320,000 bytes: try again later")
    by_hand = f"or download {publisher.url}/a.txt with a browser and put it at {tmp_path / 'sub' / 'a.txt'}"
    assert sentence.endswith(by_hand)


@pytest.mark.parametrize("status", [403, 404, 500])
def test_a_status_is_named(publisher: Publisher, tmp_path: Path, status: int) -> None:
    publisher.status = status
    refused(publisher, tmp_path, rf"answered with error {status} for a\.txt: try again later, or download")


@pytest.mark.parametrize("no_length", [False, True])
def test_a_file_beyond_the_limit_is_given_up(publisher: Publisher, tmp_path: Path, no_length: bool) -> None:
    publisher.no_length = no_length
    refused(publisher, tmp_path, "has more than 0 MB, so it is something else", max_bytes=len(CONTENT) - 1)
    assert fetch(publisher, tmp_path, max_bytes=len(CONTENT)) == CONTENT


@pytest.mark.parametrize(
    ("told", "max_bytes", "message"),
    [
        ("8", 200_000, "sends more of a.txt than the 8 bytes it told: try again later, or download"),
        ("200000", 250_000, "sends more of a.txt than the 200,000 bytes it told"),
        ("9" * 5000, 200_000, "has more than 0 MB, so it is something else"),
    ],
)
def test_a_length_that_is_not_true_does_not_lift_the_limit(
    publisher: Publisher, tmp_path: Path, told: str, max_bytes: int, message: str
) -> None:
    publisher.told = told
    refused(publisher, tmp_path, message, max_bytes)


def test_a_file_may_come_in_chunks(publisher: Publisher, tmp_path: Path) -> None:
    publisher.told = str(len(CONTENT))
    assert fetch(publisher, tmp_path, max_bytes=len(CONTENT)) == CONTENT


def test_a_file_that_says_it_is_too_large_is_not_fetched(publisher: Publisher, tmp_path: Path) -> None:
    seen: list[int] = []
    with pytest.raises(DataError, match="so it is something else"):
        download(
            f"{publisher.url}/a.txt",
            tmp_path / "a.txt",
            1000,
            Path.read_bytes,
            progress=lambda done, total: seen.append(done),
        )
    assert seen == []


def test_a_server_that_hangs_is_given_up(publisher: Publisher, tmp_path: Path) -> None:
    publisher.silent = True
    start = time.monotonic()
    refused(publisher, tmp_path, r"cannot be reached for a\.txt \(no answer in time\)")
    assert time.monotonic() - start < 25


def test_a_server_that_trickles_is_given_up(publisher: Publisher, tmp_path: Path) -> None:
    publisher.trickle = 0.1  # never silent for long, and never done
    start = time.monotonic()
    refused(publisher, tmp_path, r"a\.txt did not arrive within 2 s: try again later")
    assert time.monotonic() - start < 25


def test_a_server_that_falls_silent_is_given_up(publisher: Publisher, tmp_path: Path) -> None:
    publisher.trickle = 20
    refused(publisher, tmp_path, r"stopped sending a\.txt \(no answer in time\)")


def test_no_network_is_named(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(DataError, match=r"cannot be reached for a\.txt \(Connection refused\): try again"):
        download(f"http://127.0.0.1:{port}/a.txt", tmp_path / "a.txt", 100, Path.read_bytes)


@pytest.mark.parametrize("url", ["file:///etc/hostname", "ftp://127.0.0.1/a.txt", "/etc/hostname", "a"])
def test_only_web_addresses_are_read(url: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is no address to download from: it must begin with https://"):
        download(url, tmp_path / "a.txt", 100, Path.read_bytes)


def test_a_redirect_is_followed_on_the_web_alone(publisher: Publisher, tmp_path: Path) -> None:
    other = Publisher({"b.txt": b"there"})
    publisher.status, publisher.location = 302, f"{other.url}/b.txt"
    assert fetch(publisher, tmp_path / "kept") == b"there"
    other.close()
    for place in ("ftp://127.0.0.1/a.txt", "file:///etc/hostname"):
        publisher.location = place
        refused(publisher, tmp_path / "none", "away from https|answered with error 302")


@pytest.mark.parametrize(("place", "allowed"), [("https://b.example/x", True), ("http://b.example/x", False)])
def test_a_redirect_does_not_leave_https(place: str, allowed: bool) -> None:
    request = urllib.request.Request("https://a.example/x")
    headers: HTTPMessage | Message = HTTPMessage()

    def follow() -> urllib.request.Request | None:
        return _SafeRedirects().redirect_request(request, BytesIO(), 302, "", headers, place)  # type: ignore[arg-type]

    if allowed:
        found = follow()
        assert found is not None
        assert found.full_url == place
    else:
        with pytest.raises(urllib.error.URLError, match="away from https"):
            follow()


def test_a_folder_that_cannot_be_written_is_named(publisher: Publisher, tmp_path: Path) -> None:
    (tmp_path / "sub").write_text("a file where the folder should be")
    with pytest.raises(
        DataError, match=r"a\.txt cannot be stored \(.*\): free some space .* UNROLLED_CORPORA"
    ):
        fetch(publisher, tmp_path)


def test_a_full_disk_is_named_and_leaves_nothing(publisher: Publisher, tmp_path: Path) -> None:
    """In a process whose files may not grow beyond 64 KiB, which fails in the middle as a full disk does."""
    publisher.files = {"cmudict.dict": CONTENT}
    child = subprocess.run(
        [sys.executable, "-m", "models.corpus.public", "g2p-cmudict"],
        cwd=ROOT,
        env={"UNROLLED_CORPORA": str(tmp_path), "UNROLLED_CORPORA_URL": publisher.url},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (65_536, 65_536)),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert child.returncode == 1
    assert re.search(r"cmudict\.dict cannot be stored \(File too large\): free some space", child.stderr)
    assert "Traceback" not in child.stderr
    assert [path.name for path in tmp_path.rglob("*") if path.stat().st_size and path.is_file()] == []
