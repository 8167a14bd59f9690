"""Files of every kind, by name and by content; the pairs of their columns."""

from __future__ import annotations

import gzip
import json
import unicodedata
from pathlib import Path

import pytest

from models.corpus.files.columns import columns_of
from models.corpus.files.formats import SUFFIXES, read_pasted, read_table, read_table_file
from models.corpus.files.reading import Reading
from models.corpus.files.table import Malformed, TextTable
from models.corpus.pairs import DataError, Pair
from tests.refusals import Refusal, refused

PAIRS = (("Hola.", "Hello."), ("¿Qué?", "What?"))
TSV = "Hola.\tHello.\n¿Qué?\tWhat?\n"
FILES = {
    "a.tsv": TSV,
    "a.csv": "Hola.,Hello.\n¿Qué?,What?\n",
    "a.jsonl": '["Hola.", "Hello."]\n["¿Qué?", "What?"]\n',
    "a.ndjson": '{"a": "Hola.", "b": "Hello."}\n{"a": "¿Qué?", "b": "What?"}\n',
    "a.json": '[\n {"a": "Hola.", "b": "Hello."},\n {"a": "¿Qué?", "b": "What?"}\n]\n',
    "a.tmx": '<tmx version="1.4"><body>'
    + "".join(
        f'<tu><tuv xml:lang="es"><seg>{a}</seg></tuv><tuv xml:lang="en"><seg>{b}</seg></tuv></tu>'
        for a, b in PAIRS
    )
    + "</body></tmx>",
}


def suggested(table: TextTable) -> tuple[Pair, ...]:
    return Reading("", table, columns_of(table)).select().pairs


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("way", ["plain", "gzip", "UPPER CASE", "text", "byte order mark"])
def test_every_format_is_read_in_every_wrapping(name: str, way: str) -> None:
    content = FILES[name].encode()
    if way == "gzip":
        content, name = gzip.compress(content), f"{name}.gz"
    elif way == "UPPER CASE":
        name = name.upper()
    elif way == "byte order mark":
        content = b"\xef\xbb\xbf" + content
    elif way == "text":
        if name == "a.csv":
            pytest.skip("a comma is part of many sentences: a text file must say that it is CSV")
        name = "a.txt"
    table = read_table(content, name)
    assert suggested(table) == PAIRS
    assert (table.malformed, table.malformed_count) == ((), 0)


@pytest.mark.parametrize("name", FILES)
def test_every_format_is_read_in_utf_16(name: str) -> None:
    text = FILES[name]
    if name == "a.tmx":
        text = '<?xml version="1.0" encoding="utf-16"?>' + text
    table = read_table(text.encode("utf-16"), name)
    assert suggested(table) == PAIRS
    assert table.encoding == "UTF-16"


@pytest.mark.parametrize("name", [name for name in FILES if name != "a.tmx"])
def test_every_format_is_read_in_a_chosen_encoding(name: str) -> None:
    table = read_table(FILES[name].encode("iso8859-15"), name, encoding="iso8859-15")
    assert suggested(table) == PAIRS


def test_a_chosen_encoding_overrides_the_declaration_of_a_tmx() -> None:
    text = '<?xml version="1.0" encoding="utf-8"?>' + FILES["a.tmx"]
    table = read_table(text.encode("cp1252"), "a.tmx", encoding="cp1252")
    assert table.pairs("es", "en") == PAIRS


def test_the_formats_have_names() -> None:
    names = {name: read_table(content.encode(), name).format for name, content in FILES.items()}
    assert names == {
        "a.tsv": "TSV",
        "a.csv": "CSV with commas",
        "a.jsonl": "JSON Lines",
        "a.ndjson": "JSON Lines",
        "a.json": "JSON",
        "a.tmx": "TMX",
    }
    assert {".tsv", ".csv.gz", ".tmx.gz", ".txt"} <= set(SUFFIXES)


def test_texts_are_in_nfc_on_one_line_without_space_around() -> None:
    content = f" {unicodedata.normalize('NFD', 'Adiós')} \t\N{NO-BREAK SPACE}Good\x0bbye\u2028now.\x07 \n"
    assert read_table(content.encode(), "a.tsv").pairs("column 1", "column 2") == (
        ("Adiós", "Good bye now."),
    )


def test_half_a_surrogate_pair_is_replaced() -> None:
    table = read_table(b'["a\\ud83d", "\\ude00b"]\n["\\ud83d\\ude00", "c"]', "a.jsonl")
    assert table.pairs("column 1", "column 2") == (("a\ufffd", "\ufffdb"), ("😀", "c"))


@pytest.mark.parametrize(
    "pair",
    [
        ("<script>alert(1)</script>", "<img src=x onerror=alert(1)>"),
        ("مرحبا بالعالم", "שלום עולם"),
        ("我喜欢猫。", "猫が好きです。"),
        ("می\u200cخواهم", "👩‍👩‍👧"),
        ("=SUM(A1)", "</s><pad>"),
    ],
)
def test_every_text_is_read_unchanged(pair: tuple[str, str]) -> None:
    lines = {
        "a.tsv": "\t".join(pair),
        "a.csv": ",".join(f'"{text}"' for text in pair),
        "a.jsonl": json.dumps(pair),
    }
    for name, line in lines.items():
        assert read_table(line.encode(), name).pairs("column 1", "column 2") == (pair,)
    assert read_pasted("\t".join(pair)).pairs("column 1", "column 2") == (pair,)


def test_columns_are_chosen_by_name_in_either_direction() -> None:
    table = read_table(b"id\tenglish\tspanish\n1\tHi.\tHola.\n2\tNo.\tNo.\n", "a.tsv")
    assert table.columns == ("id", "english", "spanish")
    assert suggested(table) == (("Hi.", "Hola."), ("No.", "No."))  # numbers are no texts
    assert table.pairs("spanish", "english") == (("Hola.", "Hi."), ("No.", "No."))
    assert table.pairs("id", "id") == (("1", "1"), ("2", "2"))
    with refused(DataError, "no_such_column", "french", "id, english, spanish"):
        table.pairs("french", "english")


def test_rows_with_an_empty_cell_are_malformed_for_the_columns_that_are_chosen() -> None:
    table = read_table(b"a\tb\tc\nd\t \tf\ng\th\t\nonly\n\ti\tj\n", "a.tsv")
    assert table.malformed == (Malformed(4, "1 column where 3 are expected", "only"),)
    selection = table.select("column 1", "column 2")
    assert selection.pairs == (("a", "b"), ("g", "h"))
    assert selection.malformed == (
        Malformed(2, "no text in column 'column 2'", "d | f"),
        Malformed(4, "1 column where 3 are expected", "only"),
        Malformed(5, "no text in column 'column 1'", "i | j"),
    )
    assert selection.malformed_count == 3
    assert table.select("column 2", "column 3").pairs == (("b", "c"), ("i", "j"))
    assert table.malformed_count == 1  # choosing leaves no trace


def test_columns_without_a_pair_are_refused() -> None:
    table = read_table(b"id\tsource\ttarget\n1\tb\t\n2\td\t\n", "a.tsv")
    with refused(DataError, "no_row_with_both", "source", "target"):
        table.pairs("source", "target")


def test_a_file_is_called_by_the_users_name_for_it(tmp_path: Path) -> None:
    path = tmp_path / "upload-0"
    path.write_text(TSV)
    assert read_table_file(path, "mine.tsv").rows == PAIRS
    with refused(DataError, "file_unreadable", "gone.tsv", "No such file or directory"):
        read_table_file(tmp_path / "gone.tsv")


@pytest.mark.parametrize(
    ("content", "name", "refusal"),
    [
        (b"", "a.tsv", ("file_empty", "a.tsv")),
        (b"\n \r\n\t", "a.csv", ("file_empty", "a.csv")),
        (gzip.compress(b"", mtime=0), "a.tsv.gz", ("file_empty", "a.tsv.gz")),
        (b"source\ttarget\n", "a.tsv", ("no_row", "a.tsv", "TSV")),
        (b"Hola.\nAdios.\n", "a.tsv", ("one_column", "a.tsv", "TSV")),
        (b'"Hola."\n', "a.csv", ("one_column", "a.csv", "CSV with commas")),
        (b"{]\n", "a.jsonl", ("no_row_but_malformed", "JSON Lines", 1, "no_json")),
        (b'{"a": 1}', "a.jsonl", ("no_row_but_malformed", 1, "too_few_texts")),
        (b"\t".join([b"x"] * 101), "a.tsv", ("too_many_columns", 101, 100)),
        (TSV.encode(), "a.docx", ("file_kind_unknown", "a.docx")),
        (TSV.encode(), "noname", ("file_kind_unknown", "noname")),
        (TSV.encode(), "../../etc/x\n.exe", ("file_kind_unknown", "x .exe")),
        (b"PAR1....", "a.parquet", ("file_is_binary", "parquet_file")),
        (b"\x89PNG....", "a.tsv", ("file_is_binary", "png_picture")),
    ],
)
def test_a_file_that_gives_no_pairs_is_refused(content: bytes, name: str, refusal: Refusal) -> None:
    with refused(DataError, *refusal):
        read_table(content, name)
