"""The project's own corpus files."""

from __future__ import annotations

import gzip
import unicodedata
from pathlib import Path

import pytest

from models.corpus.pairs import DataError, read_pairs
from tests.refusals import refused

LINES = "Hola.\tHello.\nAdiós.\tGoodbye.\n"
PAIRS = (("Hola.", "Hello."), ("Adiós.", "Goodbye."))


def write(folder: Path, content: str | bytes, name: str = "train.tsv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_two_columns(tmp_path: Path) -> None:
    assert read_pairs(write(tmp_path, LINES)) == PAIRS


def test_columns_swapped(tmp_path: Path) -> None:
    assert read_pairs(write(tmp_path, LINES), swap=True) == tuple((b, a) for a, b in PAIRS)


def test_gzip_by_suffix(tmp_path: Path) -> None:
    assert read_pairs(write(tmp_path, gzip.compress(LINES.encode()), "train.tsv.gz")) == PAIRS


@pytest.mark.parametrize(
    "lines",
    [
        LINES.replace("\n", "\r\n"),
        "\ufeff" + LINES,
        "\n" + LINES.replace("\n", "\n\n \n"),
        LINES.replace("\t", " \t ").rstrip("\n"),
        unicodedata.normalize("NFD", LINES),
    ],
    ids=["crlf", "byte order mark", "blank lines", "spaces", "decomposed"],
)
def test_what_editors_do_to_a_file_does_no_harm(lines: str, tmp_path: Path) -> None:
    assert read_pairs(write(tmp_path, lines)) == PAIRS


def test_other_line_separators_do_not_end_a_pair(tmp_path: Path) -> None:
    assert read_pairs(write(tmp_path, "a\u2028b\tc\x0bd\n")) == (("a b", "c d"),)


@pytest.mark.parametrize("line", ["Hola.", "Hola.\t", "\tHello.", "Hola.\tHello.\tCC-BY", "Hola.\t \n"])
def test_a_bad_line_is_named_by_number(line: str, tmp_path: Path) -> None:
    with refused(DataError, "no_pair_in_line", "train.tsv", 4):
        read_pairs(write(tmp_path, LINES + "\n" + line))


def test_a_long_bad_line_is_shortened(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        read_pairs(write(tmp_path, "x" * 10_000))
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("content", ["", "\n\n", " \n\t\n"])
def test_a_file_without_pairs_is_refused(content: str, tmp_path: Path) -> None:
    with refused(DataError, "no_pair_in_file", "train.tsv"):
        read_pairs(write(tmp_path, content))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("train.tsv", b"a\tb\xff\n"),
        ("train.tsv.gz", LINES.encode()),
        ("train.tsv.gz", gzip.compress(LINES.encode(), mtime=0)[:-12]),
        ("train.tsv.gz", gzip.compress(LINES.encode(), mtime=0)[:12] + b"\xff" * 40),
    ],
    ids=["no UTF-8", "no gzip", "cut off", "corrupted"],
)
def test_an_unreadable_file_is_named(name: str, content: bytes, tmp_path: Path) -> None:
    with refused(DataError, "cannot_be_read", name):
        read_pairs(write(tmp_path, content, name))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with refused(DataError, "cannot_be_read", "nowhere.tsv"):
        read_pairs(tmp_path / "nowhere.tsv")
