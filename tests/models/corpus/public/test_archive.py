"""Downloaded archives: their text, or a refusal that names the fault."""

from __future__ import annotations

import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from models.corpus.pairs import DataError
from models.corpus.public.archive import read_text
from models.corpus.public.catalogue import PublicFile
from tests.fakes.servers.corpus_publisher import zipped
from tests.refusals import Refusal, refused

CONTENT = b"one\tuno\n" * 40_000
ARCHIVE = PublicFile("spa-eng.zip", "https://publisher.example/spa-eng.zip", 1_000_000, "spa.txt")
TEXT = PublicFile("words", "https://publisher.example/words", 1_000_000)
GOOD = zipped({"spa.txt": "one\tuno\n"})
NAMED = zipped({"spa.txt": "one\tuno\n", "año.txt": "a name that is flagged as UTF-8"})


def broken(compression: int) -> bytes:
    """An archive whose one member is damaged in the middle."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        archive.writestr(zipfile.ZipInfo("spa.txt"), CONTENT, compression)
    content = bytearray(buffer.getvalue())
    start = 30 + len("spa.txt") + 20  # behind the header of the member and that of its compression
    content[start : start + 12] = b"\xff" * 12
    return bytes(content)


@pytest.mark.parametrize("name", ["spa.txt", "spa-eng/spa.txt"])
def test_a_text_is_read_from_an_archive(name: str, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(zipped({"_about.txt": "terms", name: "\ufeffone\tuno\n"}))
    assert read_text(path, ARCHIVE) == "one\tuno\n"


@pytest.mark.parametrize(
    ("content", "refusal"),
    [
        (b"<!DOCTYPE html><html><body>Not found</body></html>", ("web_page_for_archive",)),
        (b"\n <HTML lang=en>", ("web_page_for_archive",)),
        (GOOD[:-30], ("zip_damaged",)),
        (b"PK\x03\x04", ("zip_damaged",)),
        (b"", ("zip_damaged",)),
        (GOOD[:40] + bytes([GOOD[40] ^ 255]) + GOOD[41:], ("zip_damaged",)),
        (NAMED.replace("ñ".encode(), b"\xff\xfe"), ("zip_damaged",)),
        (broken(zipfile.ZIP_LZMA), ("zip_damaged",)),
        (broken(zipfile.ZIP_BZIP2), ("zip_damaged",)),
        (broken(zipfile.ZIP_DEFLATED), ("zip_damaged",)),
        (zipped({"fra.txt": "x"}), ("zip_without", "spa.txt")),
        (zipped({"a/spa.txt": "x", "b/spa.txt": "y"}), ("zip_with_several", "spa.txt")),
        (zipped({"../spa.txt": "x"}), ("zip_leads_out", "../spa.txt")),
        (zipped({"spa.txt": "x", "a/../../b": "y"}), ("zip_leads_out",)),
        (zipped({"spa.txt": "x", "/etc/cron.d/b": "y"}), ("zip_leads_out",)),
        (zipped({"spa.txt": "x", "C:\\b": "y"}), ("zip_leads_out",)),
        (zipped({"spa.txt": b"\xff\xfe one"}), ("not_utf8_in_line", 1)),
    ],
)
def test_an_archive_that_cannot_be_used_is_refused(content: bytes, refusal: Refusal, tmp_path: Path) -> None:
    folder = tmp_path / "downloads"
    folder.mkdir()
    path = folder / "x.partial"
    path.write_bytes(content)
    with refused(DataError, *refusal, "spa-eng.zip") as excinfo:
        read_text(path, ARCHIVE, folder / "spa-eng.zip")
    assert str(excinfo.value).endswith(f"as {folder / 'spa-eng.zip'}")
    assert [path.name for path in tmp_path.rglob("*spa.txt")] == []


def test_an_archive_unpacks_no_further_than_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x"
    bomb = zipped({"spa.txt": b"\0" * 30_000_000})
    assert len(bomb) < 40_000
    path.write_bytes(bomb)
    monkeypatch.setattr("models.corpus.public.archive.MAX_UNPACKED_BYTES", 3_000_000)
    with refused(DataError, "zip_unpacks_too_large", "3"):
        read_text(path, ARCHIVE)


def test_an_archive_that_understates_its_size_does_not_evade_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x"
    size = 5_000_000
    path.write_bytes(zipped({"spa.txt": b"\0" * size}).replace(size.to_bytes(4, "little"), b"\x01\0\0\0"))
    monkeypatch.setattr("models.corpus.public.archive.MAX_UNPACKED_BYTES", 1_000_000)
    with refused(DataError, "zip_damaged"):
        read_text(path, ARCHIVE)


def test_a_plain_text_is_checked_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"<html><title>429</title>")
    with refused(DataError, "download_damaged", "words", "web_page", "https://publisher.example/words"):
        read_text(path, TEXT)
    path.write_bytes(b"x" * 2_000_001)
    monkeypatch.setattr("models.corpus.public.archive.MAX_UNPACKED_BYTES", 2_000_000)
    with refused(DataError, "too_large_to_read", "2"):
        read_text(path, TEXT)
    monkeypatch.setattr("models.corpus.public.archive.MAX_UNPACKED_BYTES", 2_000_001)
    assert len(read_text(path, TEXT)) == 2_000_001
