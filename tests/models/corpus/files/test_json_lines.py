"""JSON Lines and JSON: objects, lists, nesting, and lines that are broken."""

from __future__ import annotations

import json

import pytest

from models.corpus.files.columns import columns_of
from models.corpus.files.formats import read_table
from models.corpus.files.table import RowCollector, TextTable
from models.corpus.pairs import DataError
from tests.refusals import refused


def jsonl(*lines: object) -> TextTable:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    return read_table(text.encode(), "a.jsonl")


def test_keys_of_objects_become_columns_in_order_of_appearance() -> None:
    table = jsonl({"en": "Hi.", "es": "Hola."}, {"es": "No.", "id": 7, "en": "No."})
    assert table.columns == ("en", "es", "id")
    assert table.rows == (("Hi.", "Hola.", ""), ("No.", "No.", "7"))
    assert [columns_of(table).source, *columns_of(table).references] == [0, 1]


def test_translation_objects_lose_their_wrapping() -> None:
    table = jsonl({"id": "x1", "translation": {"en": "Hi.", "es": "Hola."}, "meta": {"by": "me"}})
    assert table.columns == ("id", "en", "es", "meta.by")
    assert table.pairs("es", "en") == (("Hola.", "Hi."),)


def test_values_that_are_neither_text_nor_number_become_empty() -> None:
    table = jsonl({"a": None, "b": [1], "c": True, "d": {"e": {"f": "g"}}, "h": 1.5, "i": "text"})
    assert table.rows == (("", "", "", "", "1.5", "text"),)


def test_broken_lines_are_malformed_and_blank_lines_are_not() -> None:
    table = jsonl(
        ["a", "b"], '["c", "d"', "", '"only a text"', "[1]", {"e": "f"}, "null", "[]", "NaN", ["g", "h"]
    )
    assert table.rows == (("a", "b"), ("g", "h"))
    assert [(row.line, row.reason) for row in table.malformed] == [
        (2, "no valid JSON"),
        (4, "no object or list with two texts"),
        (5, "no object or list with two texts"),
        (6, "no object or list with two texts"),
        (7, "no object or list with two texts"),
        (8, "no object or list with two texts"),
        (9, "no object or list with two texts"),
    ]
    assert table.malformed[0].text == '["c", "d"'


def test_lines_that_would_stop_a_parser_are_malformed() -> None:
    table = jsonl("[" * 100_000, "1" * 10_000, '{"a":' * 50_000, ["a", "b"])
    assert table.rows == (("a", "b"),)
    deep = "lists and objects nested too deep"
    assert [row.reason for row in table.malformed] == [deep, "no valid JSON", deep]


def test_a_file_of_brackets_is_refused_as_too_deep_and_not_as_too_long() -> None:
    for text in ("[" * 5_000_000, '{"a":' * 2_100_000):
        with refused(DataError, "json_too_deep", "a.jsonl", "nested_too_deep"):
            jsonl(text)


def test_brackets_in_texts_do_not_count_as_nesting() -> None:
    for text in ('["[[[[","b"],' * 500_000, "[]" * 2_100_000, '["' + '\\"[{' * 1_100_000):
        with refused(DataError, "too_many_rows", "500,000"):
            jsonl("[" + text)


def test_a_line_separator_within_a_text_is_no_line_break() -> None:
    table = read_table('["a\u2028b", "c"]\r\n["d", "e"]\r\n'.encode(), "a.jsonl")
    assert table.pairs("column 1", "column 2") == (("a b", "c"), ("d", "e"))


def test_a_json_file_is_one_list() -> None:
    items = [{"a": "b", "c": "d"}, {"a": "x"}]
    for indent in (None, 1):
        table = read_table(json.dumps(items, indent=indent).encode(), "a.json")
        assert (table.format, table.columns, table.rows) == ("JSON", ("a", "c"), (("b", "d"),))
        assert [(row.line, row.reason) for row in table.malformed] == [
            (2, "no object or list with two texts")
        ]


def test_the_suffixes_of_json_and_json_lines_are_interchangeable() -> None:
    assert read_table(b'["a", "b"]', "a.json").rows == (("a", "b"),)
    assert read_table(b'[["a", "b"], ["c", "d"]]', "a.jsonl").rows == (("a", "b"), ("c", "d"))


def test_equal_names_at_two_levels_are_one_column() -> None:
    assert jsonl({"en": "x", "translation": {"en": "Hi.", "es": "Hola."}}).columns == ("en", "es")


def test_objects_with_ever_new_names_are_refused_before_the_rows_are_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each row would have a cell for each name: 200,000 objects took minutes."""
    rows: list[object] = []
    monkeypatch.setattr(RowCollector, "add", lambda *row: rows.append(row))
    with refused(DataError, "too_many_columns", 201, 100):
        jsonl(*({f"k{index}": "x", "z": "y"} for index in range(200)))
    assert not rows


def test_the_rows_of_two_splits_are_not_put_side_by_side() -> None:
    splits = {name: [{"source": "Hola.", "target": "Hello."}] for name in ("train", "test")}
    table = read_table(json.dumps(splits).encode(), "a.json")
    with refused(DataError, "no_row_with_both"):
        table.select("train", "test")
