"""The work of reading a file, counted in operations: it grows as the file does, whatever the file holds."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import pytest

from models.corpus.files.columns import columns_of
from models.corpus.files.formats import read_table
from models.corpus.pairs import DataError
from tests.work import operations

SIZE = 600  # parts of the smaller of two files
MAX_GROWTH = 2.3  # of the work, for twice as many parts
MAX_OPERATIONS = 250  # for each character


def _numbers(count: int, mark: str) -> str:
    return mark.join(map(str, range(count)))


def _object(count: int, value: object) -> dict[str, object]:
    return {str(number): value for number in range(count)}


def _units(count: int) -> str:
    """Units of which each is in two languages that no other has."""
    return "".join(
        f'<tu><tuv xml:lang="a{i}"><seg>x</seg></tuv><tuv xml:lang="b{i}"><seg>y</seg></tuv></tu>'
        for i in range(count)
    )


# Files by what they have much of: a name, and the text for a count of parts.
FILES: dict[str, tuple[str, Callable[[int], str]]] = {
    "columns": ("a.tsv", lambda n: _numbers(n, "\t")),
    "columns and rows": ("a.tsv", lambda n: f"{_numbers(n, chr(9))}\na\tb\nc\td\n"),
    "names": ("a.csv", lambda n: f"{_numbers(n, ';')}\n{_numbers(n, ';')}\n"),
    "quoted names": ("a.csv", lambda n: ",".join(f'"{i}"' for i in range(n))),
    "the same name": ("a.tsv", lambda n: "source\ttarget\t" + "source\t" * n + "\na\tb\n"),
    "wide rows": ("a.tsv", lambda n: "a\tb\n" * n + f"{_numbers(n, chr(9))}\n" * 3),
    "empty cells": ("a.csv", lambda n: f"a,b{',' * n}\n" * 3),
    "rows": ("a.tsv", lambda n: "uno\tone\n" * n),
    "short rows": ("a.tsv", lambda n: f"source\ttarget\t{_numbers(90, chr(9))}\n" + "a\tb\n" * n),
    "open marks": ("a.csv", lambda n: 'a,"b\n' * n),
    "marks that open again": ("a.csv", lambda n: 'x",""",\n' * n),
    "marks within": ("a.csv", lambda n: '"a"b,c\n' * n),
    "a long line": ("a.csv", lambda n: f'"{"a" * n}",b'),
    "hyphens": ("a.txt", lambda n: f"a | b\n|{'-' * n}x|\n"),
    "blank lines": ("a.txt", lambda n: "a | b\n" + "\n" * n),
    "digits": ("a.tsv", lambda n: f"{'1' * n}x\tb\n" * 3),
    "objects": ("a.jsonl", lambda n: '{"source": "uno", "target": "one"}\n' * n),
    "names of objects": ("a.jsonl", lambda n: "".join(f'{{"a{i}": "x", "b{i}": "y"}}\n' for i in range(n))),
    "one wide object": ("a.json", lambda n: json.dumps([_object(n, "x")])),
    "one wide list": ("a.json", lambda n: json.dumps([[1] * n])),
    "a wide object within": (
        "a.json",
        lambda n: json.dumps([{"a": "b", "c": {str(i): "x" for i in range(n)}}]),
    ),
    "brackets": ("a.json", lambda n: "[" * n),
    "rows of one object": ("a.json", lambda n: json.dumps(_object(n, {"es": "a", "en": "b"}))),
    "columns of one object": (
        "a.json",
        lambda n: json.dumps({"columns": ["a"] * n, "data": [["b"] * n] * 2}),
    ),
    "units": ("a.tmx", lambda n: f"<tmx>{_units(1) * n}</tmx>"),
    "languages": ("a.tmx", lambda n: f"<tmx>{_units(n)}</tmx>"),
    "segments": ("a.tmx", lambda n: f"<tmx><tu><tuv><seg>{'a&amp;' * n}</seg></tuv></tu></tmx>"),
}


# The most bytes of memory for each character.
MAX_BYTES = 20


def _read(name: str, text: str) -> None:
    content = text.encode()
    with suppress(DataError):
        table = read_table(content, name)
        columns = columns_of(table)
        table.select(table.columns[columns.source], table.columns[columns.references[0]])


@pytest.mark.slow
@pytest.mark.parametrize("kind", FILES)
def test_twice_the_file_is_twice_the_work(kind: str) -> None:
    name, text_of = FILES[kind]
    small, large = text_of(SIZE), text_of(2 * SIZE)
    before, after = (operations(partial(_read, name, text)) for text in (small, large))
    assert after < MAX_GROWTH * before + 2_000
    assert after < MAX_OPERATIONS * len(large)


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", ["columns", "names", "quoted names", "empty cells", "one wide list", "hyphens", "segments"]
)
def test_a_file_takes_no_more_memory_than_some_copies_of_it(kind: str) -> None:
    name, text_of = FILES[kind]
    text = text_of(100_000)
    tracemalloc.start()
    try:
        _read(name, text)
        assert tracemalloc.get_traced_memory()[1] < MAX_BYTES * len(text) + 1_000_000
    finally:
        tracemalloc.stop()
