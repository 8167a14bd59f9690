"""JSON Lines of objects or lists, and JSON files with one list of them or one object of columns or rows."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from models.corpus.files import table
from models.corpus.files.headers import is_language_code, looks_like_header
from models.corpus.files.table import RowCollector, TextTable
from models.corpus.pairs import DataError
from models.errors import TOO_DEEP, Message

_MAX_DEPTH = 100  # nested lists and objects; a row needs three
_BROKEN = Message("no_json", "no valid JSON")
_EXAMINED_CHARACTERS = 100_000  # the nesting of a whole text of 40 MB would take half a minute to measure
_TURN_OF_A_CHAT = {"role", "content"}  # has one text
_TOO_FEW_TEXTS = Message("too_few_texts", "no object or list with two texts")
# A string, complete or not, or a bracket. It matches at every quotation mark, so no character is read twice.
_NESTING = re.compile(r'"(?:[^"\\]+|\\.)*(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)


def read_json(text: str, name: str, encoding: str, max_rows: int = table.MAX_TABLE_ROWS) -> TextTable:
    """The table of a text; a nested object's names come after a dot, but "translation" is left out.

    Raises DataError if no row can be read, and beyond `max_rows` rows.
    """
    _check_size(text, name, max_rows)
    items = _whole_file(text)
    collector = RowCollector(max_rows)
    objects: list[tuple[int, dict[str, str]]] = []
    columns: dict[str, None] = {}
    for line, value, source in _lines(text, max_rows) if items is None else items:
        cells = _cells(value, name)
        if len(cells) < 2:
            collector.reject(line, value if isinstance(value, Message) else _TOO_FEW_TEXTS, source)
            continue
        objects.append((line, cells))
        columns.update(dict.fromkeys(cells))
        table.check_rows(len(objects), max_rows)
    table.check_columns(name, len(columns))  # checked before each row gets a cell for each column
    for line, cells in objects:
        collector.add(line, [cells.get(column, "") for column in columns])
    return collector.table(name, "JSON Lines" if items is None else "JSON", encoding, list(columns))


def _parse(text: str) -> Any:
    """The value of a text; a Message, which no JSON has, for one that cannot be parsed."""
    try:
        return json.loads(text)
    except RecursionError:
        return TOO_DEEP
    except ValueError:  # numbers with thousands of digits raise it too
        return _BROKEN


def _check_size(text: str, name: str, max_rows: int) -> None:
    """Raise DataError for a text that would fill the memory, before it is parsed."""
    # An empty list takes two characters in the text, but sixty bytes in memory.
    openings = text.count("[") + text.count("{")
    if openings // 4 > max_rows and _too_deep(text):
        raise DataError(
            "json_too_deep",
            "{name} has {problem}: write one object or list with two texts on each line",
            name=name,
            problem=TOO_DEEP,
        )
    table.check_rows(openings // 4, max_rows)


def _too_deep(text: str) -> bool:
    """Whether the beginning of a text nests lists and objects deeper than any row does.

    Brackets within strings do not count.
    """
    depth = 0
    for token in _NESTING.finditer(text[:_EXAMINED_CHARACTERS]):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token[0], 0)
        if depth > _MAX_DEPTH:
            return True
    return False


def _lines(text: str, max_rows: int) -> Iterator[tuple[int, Any, str]]:
    for number, line in enumerate(table.lines_of(text, max_rows), start=1):
        if line.strip():
            yield number, _parse(line), line


def _whole_file(text: str) -> list[tuple[int, Any, str]] | None:
    """The rows of a text that is one list or one object, numbered; None for JSON Lines."""
    value = _parse(text) if text.lstrip()[:1] in ("[", "{") else None
    if isinstance(value, dict):
        value = _rows_of_object(value)
    if not isinstance(value, list) or not value or not all(isinstance(item, dict | list) for item in value):
        return None
    return [(number, item, str(item)[:200]) for number, item in enumerate(value, start=1)]


def _rows_of_object(whole: dict[str, Any]) -> list[Any] | None:
    """The rows of an object that holds a whole table in one of pandas' orientations or in another usual form.

    These forms are a list of rows, a list for each column, a list of names beside a list of rows, an object
    for each column or row, and an object of pairs. None if the object itself is a row.
    """
    values = list(whole.values())
    lists = [value for value in values if isinstance(value, list) and value]
    tables = [value for value in lists if all(isinstance(item, dict | list) for item in value)]
    names = whole.get("columns")
    if len(tables) == 1:
        if isinstance(names, list) and all(isinstance(row, list) for row in tables[0]):
            return [dict(zip(map(str, names), row, strict=False)) for row in tables[0]]
        return tables[0]
    if not tables and len(lists) == len(values) > 1 and len(set(map(len, lists))) == 1:
        return [dict(zip(whole, cells, strict=True)) for cells in zip(*lists, strict=True)]
    if all(isinstance(value, dict) and value.keys() == values[0].keys() for value in values):
        return _rows_of_objects(whole)
    if len(values) > 2 and all(isinstance(value, str) for value in values) and not _are_names(list(whole)):
        return [[source, target] for source, target in whole.items()]
    return None


def _rows_of_objects(objects: dict[str, dict[str, Any]]) -> list[Any] | None:
    """The rows of objects with the same names. The objects are columns if their own names are a header."""
    inner = list(next(iter(objects.values()), {}))
    if len(objects) > 1 and _are_names(list(objects)) and not _are_names(inner):
        return [{name: column[key] for name, column in objects.items()} for key in inner]
    return list(objects.values()) if _are_names(inner) and "translation" not in objects else None


def _are_names(names: list[str]) -> bool:
    """Whether these are names of columns: a header, or codes of languages."""
    return all(map(is_language_code, names)) or looks_like_header(names, ())


def _cells(value: Any, name: str) -> dict[str, str]:
    """The texts and numbers of an object or a list by column. Raises DataError for too many columns."""
    for part in (value, *value.values()) if isinstance(value, dict) else (value,):
        table.check_columns(name, len(part) if isinstance(part, dict | list) else 0)
    if isinstance(value, list):
        value = {f"column {number}": item for number, item in enumerate(value, start=1)}
    if not isinstance(value, dict) or value.keys() == _TURN_OF_A_CHAT:
        return {}
    cells = {}
    for name, item in value.items():
        if isinstance(item, dict):
            prefix = "" if name == "translation" else f"{name}."
            cells.update({f"{prefix}{inner}": _text(text) for inner, text in item.items()})
        else:
            cells[name] = _text(item)
    return cells


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return str(value) if math.isfinite(value) else ""  # pandas writes NaN for an empty cell
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""
