"""Files of every kind, by name and by content, and pasted text."""

from __future__ import annotations

import gzip
import json
import time
import tracemalloc
import unicodedata
from pathlib import Path

import pytest

from models.corpus import table as table_module
from models.corpus import tables
from models.corpus.pairs import DataError
from models.corpus.table import MAX_CELL_CHARACTERS, MAX_SHOWN, Malformed
from models.corpus.tables import SUFFIXES, read_pasted, read_table, read_table_file

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


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("way", ["plain", "gzip", "UPPER CASE", "text", "byte order mark"])
def test_every_format_in_every_wrapping(name: str, way: str) -> None:
    content = FILES[name].encode()
    if way == "gzip":
        content, name = gzip.compress(content), f"{name}.gz"
    elif way == "UPPER CASE":
        name = name.upper()
    elif way == "byte order mark":
        content = b"\xef\xbb\xbf" + content
    elif way == "text":
        if name == "a.csv":
            return  # a comma is part of many sentences: a text file must say that it is CSV
        name = "a.txt"
    table = read_table(content, name)
    assert table.pairs(*table.suggested) == PAIRS
    assert (table.malformed, table.malformed_count) == ((), 0)


@pytest.mark.parametrize("name", FILES)
def test_utf_16_in_every_format(name: str) -> None:
    text = FILES[name]
    if name == "a.tmx":
        text = '<?xml version="1.0" encoding="utf-16"?>' + text
    table = read_table(text.encode("utf-16"), name)
    assert table.pairs(*table.suggested) == PAIRS
    assert table.encoding == "UTF-16"


@pytest.mark.parametrize("name", [name for name in FILES if name != "a.tmx"])
def test_a_chosen_encoding_in_every_format(name: str) -> None:
    table = read_table(FILES[name].encode("iso8859-15"), name, encoding="iso8859-15")
    assert table.pairs(*table.suggested) == PAIRS


def test_a_chosen_encoding_overrides_what_a_tmx_declares() -> None:
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
        ("a\u200db", "👩‍👩‍👧"),
        ("=SUM(A1)", "</s><pad>"),
    ],
)
def test_every_text_stays_as_it_is(pair: tuple[str, str]) -> None:
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
    assert table.suggested == ("english", "spanish")  # numbers are no texts
    assert table.pairs("spanish", "english") == (("Hola.", "Hi."), ("No.", "No."))
    assert table.pairs("id", "id") == (("1", "1"), ("2", "2"))
    with pytest.raises(DataError, match="there is no column 'french': choose one of id, english, spanish"):
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
    table = read_table(b"a\tb\t\nc\td\t\n", "a.tsv")
    with pytest.raises(DataError, match="no row has a text in both 'column 1' and 'column 3'"):
        table.pairs("column 1", "column 3")


def test_malformed_rows_are_cut_and_the_first_are_kept_and_all_are_counted() -> None:
    bad = MAX_SHOWN * 3
    table = read_table(("x" * 200 + "\n").encode() * bad + b"a\tb\n", "a.tsv")
    assert table.malformed_count == bad
    assert [row.line for row in table.malformed] == [*range(1, MAX_SHOWN + 1)]
    assert {len(row.text) for row in table.malformed} == {80}


def test_the_first_malformed_rows_are_shown_whatever_is_wrong_with_them() -> None:
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
        (2, "a text is longer than 5,000 characters")
    ]


def test_too_many_rows_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_module, "MAX_ROWS", 100)
    assert len(read_table(b"a\tb\n" * 100, "a.tsv").rows) == 100
    for content in (b"a\tb\n" * 101, b"a\tb\n" * 60 + b"x\n" * 41):
        with pytest.raises(DataError, match="more than 100 rows: take a part of it"):
            read_table(content, "a.tsv")


@pytest.mark.parametrize(
    ("name", "begin", "repeated", "end"),
    [
        ("a.tsv", b"a\tb", b"\n", b""),
        ("a.tsv", b"", b"a\n", b""),
        ("a.csv", b"", b'"\n', b""),
        ("a.jsonl", b"[", b"[],", b"1]"),
        ("a.jsonl", b"", b"1\n", b""),
        ("a.json", b"[", b"{},", b"1]"),
        ("a.tmx", b"<tmx>", b"<tu/>", b"</tmx>"),
    ],
    ids=["blank", "tsv", "csv", "nested", "jsonl", "json", "tmx"],
)
def test_many_tiny_rows_do_not_fill_the_memory(name: str, begin: bytes, repeated: bytes, end: bytes) -> None:
    packed = gzip.compress(begin + repeated * (40_000_000 // len(repeated)) + end, compresslevel=1)
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match="more than 500,000 rows: take a part of it"):
            read_table(packed, f"{name}.gz")
        assert tracemalloc.get_traced_memory()[1] < 350_000_000
    finally:
        tracemalloc.stop()


def test_too_large_a_file_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "MAX_BYTES", 1_000_000)
    path = tmp_path / "a.tsv"
    with path.open("wb") as file:
        file.truncate(10**12)  # sparse: reading it would take minutes and all memory
    with pytest.raises(DataError, match=r"a\.tsv is larger than 1 MB: take a part of it, or compress it"):
        read_table_file(path)
    for read in (lambda: read_table(b"x" * 1_000_001, "a.tsv"), lambda: read_pasted("x" * 1_000_001)):
        with pytest.raises(DataError, match="is larger than 1 MB"):
            read()


def test_a_gzip_bomb_is_refused() -> None:
    with pytest.raises(DataError, match=r"a\.tsv\.gz unpacks to more than 50 MB"):
        read_table(gzip.compress(b"a\tb\n" * 20_000_000, compresslevel=1), "a.tsv.gz")


def test_a_file_is_called_by_the_name_the_user_gave(tmp_path: Path) -> None:
    path = tmp_path / "upload-0"
    path.write_text(TSV)
    assert read_table_file(path, "mine.tsv").rows == PAIRS
    with pytest.raises(DataError, match=r"^gone\.tsv cannot be read \(No such file or directory\)"):
        read_table_file(tmp_path / "gone.tsv")


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        (b"", "a.tsv", r"a\.tsv is empty: choose a file with"),
        (b"\n \r\n\t", "a.csv", r"a\.csv is empty"),
        (gzip.compress(b""), "a.tsv.gz", r"a\.tsv\.gz is empty"),
        (b"source\ttarget\n", "a.tsv", r"a\.tsv holds no row that can be read as TSV: mend it"),
        (b"Hola.\nAdios.\n", "a.tsv", r"a\.tsv has only one column as TSV: put source and target into two"),
        (b'"Hola."\n', "a.csv", r"a\.csv has only one column as CSV with commas"),
        (b"{]\n", "a.jsonl", r"no row that can be read as JSON Lines; line 1 has no valid JSON: mend"),
        (b'{"a": 1}', "a.jsonl", "line 1 has no object or list with two texts"),
        (b"\t".join([b"x"] * 101), "a.tsv", "has 101 columns: at most 100 are read"),
        (TSV.encode(), "a.docx", r"a\.docx is of no kind that can be read: choose \.tsv, \.csv, "),
        (TSV.encode(), "noname", "noname is of no kind"),
        (TSV.encode(), "../../etc/x\n.exe", r"^x \.exe is of no kind"),
        (b"PAR1....", "a.parquet", "is a Parquet file: save its columns"),
        (b"\x89PNG....", "a.tsv", "is a PNG picture"),
    ],
)
def test_a_file_that_gives_nothing_is_refused_with_a_remedy(content: bytes, name: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_table(content, name)


PASTED = {
    "tabs": "Hola.\tHello.\n¿Qué?\tWhat?",
    "|||": "Hola. ||| Hello.\n¿Qué? ||| What?\n",
    "=>": "Hola. => Hello.\r\n\r\n¿Qué? => What?\r\n",
    "→": "Hola. → Hello.\n¿Qué? → What?\n",
    "->": "Hola. -> Hello.\n¿Qué? -> What?\n",
    "semicolons": "Hola.;Hello.\n¿Qué?;What?\n",
    "commas": 'Hola.,Hello.\n"¿Qué?",What?\n',
    "JSON Lines": FILES["a.jsonl"],
    "JSON": FILES["a.json"],
    "TMX": FILES["a.tmx"],
}


@pytest.mark.parametrize("mark", PASTED)
def test_pasted_text_is_read_by_its_mark(mark: str) -> None:
    for text in (PASTED[mark], "\ufeff" + PASTED[mark]):
        table = read_pasted(text)
        assert table.pairs(*table.suggested) == PAIRS
        assert table.format.endswith(mark)


def test_a_comma_within_a_sentence_does_no_harm_beside_another_mark() -> None:
    assert read_pasted("Sí, hola. => Yes, hi.\nNo; no. => No.").pairs("column 1", "column 2") == (
        ("Sí, hola.", "Yes, hi."),
        ("No; no.", "No."),
    )


def test_a_pasted_line_without_its_mark_is_malformed() -> None:
    table = read_pasted("a => b\nc\nd => e => f\ng => h")
    assert [(row.line, row.reason) for row in table.malformed] == [
        (2, "1 column where 2 are expected"),
        (3, "3 columns where 2 are expected"),
    ]


@pytest.mark.parametrize("text", ["Hola.\nHello.", "One, two, three.\nFour."])
def test_pasted_text_without_a_mark_is_refused(text: str) -> None:
    with pytest.raises(DataError, match="put a tab, or"):
        read_pasted(text)


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_nothing_pasted_is_refused(text: str) -> None:
    with pytest.raises(DataError, match="nothing is pasted"):
        read_pasted(text)


def test_a_large_file_is_read_in_seconds() -> None:
    lines = "".join(f"Esta es la frase número {i}.\tThis is sentence number {i}.\n" for i in range(200_000))
    start = time.perf_counter()
    table = read_table(lines.encode(), "a.tsv")
    assert len(table.pairs("column 1", "column 2")) == 200_000
    assert time.perf_counter() - start < 20  # about one; a slow machine may take more
