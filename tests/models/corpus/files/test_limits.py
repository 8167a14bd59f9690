"""Files that are too long or too large, and how soon that is noticed."""

from __future__ import annotations

import gzip
import tracemalloc
from pathlib import Path

import pytest

from models.corpus.files.formats import read_pasted, read_table, read_table_file
from models.corpus.files.table import MAX_CELL_CHARACTERS, MAX_SHOWN, Limits
from models.corpus.pairs import DataError
from tests.grids import full_only
from tests.refusals import refused
from tests.work import calls


def test_the_first_malformed_rows_are_kept_shortened_and_all_are_counted() -> None:
    bad = MAX_SHOWN * 3
    table = read_table(("x" * 200 + "\n").encode() * bad + b"a\tb\n", "a.tsv")
    assert table.malformed_count == bad
    assert [row.line for row in table.malformed] == [*range(1, MAX_SHOWN + 1)]
    assert {len(row.text) for row in table.malformed} == {80}


def test_the_first_malformed_rows_of_any_kind_are_kept() -> None:
    bad = MAX_SHOWN * 2
    table = read_table(b"\tb\n" * bad + b"x\n" * bad + b"a\tb\n" * (bad + 1), "a.tsv")
    selection = table.select("column 1", "column 2")
    assert [row.line for row in selection.malformed] == [*range(1, MAX_SHOWN + 1)]
    assert selection.malformed_count == 2 * bad


def test_a_text_that_is_too_long_is_malformed() -> None:
    longest = "x" * MAX_CELL_CHARACTERS
    table = read_table(f"{longest}\tb\n{longest}x\tb\n".encode(), "a.tsv")
    assert table.pairs("column 1", "column 2") == ((longest, "b"),)
    assert [(row.line, row.reason) for row in table.malformed] == [
        (2, "a text of more than 5,000 characters")
    ]


def test_too_many_rows_are_refused() -> None:
    limits = Limits(rows=100)
    assert len(read_table(b"a\tb\n" * 100, "a.tsv", limits=limits).rows) == 100
    for content in (b"a\tb\n" * 101, b"a\tb\n" * 60 + b"x\n" * 41):
        with refused(DataError, "too_many_rows", "100"):
            read_table(content, "a.tsv", limits=limits)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "begin", "repeated", "end"),
    [
        ("a.tsv", b"a\tb", b"\n", b""),
        *full_only(
            [
                ("a.tsv", b"", b"a\n", b""),
                ("a.csv", b"", b'"\n', b""),
                ("a.jsonl", b"[", b"[],", b"1]"),
                ("a.jsonl", b"", b"1\n", b""),
                ("a.json", b"[", b"{},", b"1]"),
                ("a.tmx", b"<tmx>", b"<tu/>", b"</tmx>"),
            ]
        ),
    ],
    ids=["blank", "tsv", "csv", "nested", "jsonl", "json", "tmx"],
)
def test_many_tiny_rows_do_not_fill_the_memory(name: str, begin: bytes, repeated: bytes, end: bytes) -> None:
    packed = gzip.compress(begin + repeated * (40_000_000 // len(repeated)) + end, compresslevel=1)
    tracemalloc.start()
    try:
        with refused(DataError, "too_many_rows", "500,000"):
            read_table(packed, f"{name}.gz")
        assert tracemalloc.get_traced_memory()[1] < 350_000_000
    finally:
        tracemalloc.stop()


def test_a_file_that_is_too_large_is_refused_before_reading(tmp_path: Path) -> None:
    small = Limits(size=1_000_000)
    path = tmp_path / "a.tsv"
    with path.open("wb") as file:
        file.truncate(10**12)  # sparse: reading it would take minutes and all memory
    with refused(DataError, "file_too_large", "a.tsv", 1):
        read_table_file(path, limits=small)
    with refused(DataError, "file_too_large", 1):
        read_table(b"x" * 1_000_001, "a.tsv", limits=small)
    with refused(DataError, "file_too_large", 20):
        read_pasted("x" * 20_000_001)


@pytest.mark.slow
def test_a_gzip_bomb_is_refused() -> None:
    with refused(DataError, "unpacks_too_large", "a.tsv.gz", 50):
        read_table(gzip.compress(b"a\tb\n" * 20_000_000, compresslevel=1), "a.tsv.gz")


@pytest.mark.slow
def test_the_work_for_a_row_does_not_grow_with_the_file() -> None:
    def work(rows: int) -> int:
        lines = "".join(f"Esta es la frase número {i}.\tThis is sentence number {i}.\n" for i in range(rows))
        return calls(lambda: read_table(lines.encode(), "a.tsv").pairs("column 1", "column 2"))

    assert work(4000) < 2.5 * work(2000)
