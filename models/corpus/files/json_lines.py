"""JSON Lines of objects or lists, and JSON files with one list of them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from models.corpus.files.table import MAX_ROWS, RowCollector, TextTable, check_columns, check_rows, lines_of
from models.corpus.pairs import DataError
from models.errors import TOO_DEEP, Message

_DEEPEST = 100  # lists and objects within each other; a row needs three
_BROKEN = Message("no_json", "no valid JSON")
_LOOKED_AT = 100_000  # characters of a text whose nesting is measured: all of 40 MB would take half a minute
_TOO_FEW = Message("too_few_texts", "no object or list with two texts")
# A text, which may lack its end, or a bracket; matches at every quotation mark, so it looks at nothing twice.
_NESTING = re.compile(r'"(?:[^"\\]+|\\.)*(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)


def read_json(text: str, name: str, encoding: str, most: int = MAX_ROWS) -> TextTable:
    """The table of a text; a nested object's names come after a dot, but "translation" is left out.

    Raises DataError if nothing of it can be read, and beyond `most` rows.
    """
    _check_size(text, name, most)
    whole = _whole_list(text)
    collector = RowCollector(most)
    objects: list[tuple[int, dict[str, str]]] = []
    columns: dict[str, None] = {}
    for line, value, source in _lines(text, most) if whole is None else whole:
        cells = _cells(value)
        if isinstance(value, _Unread) or len(cells) < 2:
            collector.reject(line, value.reason if isinstance(value, _Unread) else _TOO_FEW, source)
            continue
        objects.append((line, cells))
        columns.update(dict.fromkeys(cells))
    check_columns(name, len(columns))  # before each row gets a cell for each of them
    for line, cells in objects:
        collector.add(line, [cells.get(column, "") for column in columns])
    return collector.table(name, "JSON Lines" if whole is None else "JSON", encoding, list(columns))


@dataclass(frozen=True)
class _Unread:
    """Stands for what was not parsed, for which `None` will not do."""

    reason: Message


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        return _Unread(TOO_DEEP)
    except ValueError:  # numbers of thousands of digits, too
        return _Unread(_BROKEN)


def _check_size(text: str, name: str, most: int) -> None:
    """Raises DataError for what would fill the memory, before anything is made of it."""
    openings = text.count("[") + text.count("{")  # an empty list takes two characters here, sixty bytes there
    if openings // 4 > most and _too_deep(text):
        raise DataError(
            "json_too_deep",
            "{name} has {problem}: write one object or list with two texts on each line",
            name=name,
            problem=TOO_DEEP,
        )
    check_rows(openings // 4, most)


def _too_deep(text: str) -> bool:
    """Whether a text begins with lists and objects nested beyond what a row can mean.

    Brackets within its texts count for nothing.
    """
    depth = 0
    for result in _NESTING.finditer(text[:_LOOKED_AT]):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(result[0], 0)
        if depth > _DEEPEST:
            return True
    return False


def _lines(text: str, most: int) -> Iterator[tuple[int, Any, str]]:
    for number, line in enumerate(lines_of(text, most), start=1):
        if line.strip():
            yield number, _parsed(line), line


def _whole_list(text: str) -> list[tuple[int, Any, str]] | None:
    """The items of a text that is one list of objects or lists, numbered; None for JSON Lines."""
    if not text.lstrip().startswith("["):
        return None
    value = _parsed(text)
    if isinstance(value, _Unread) or not value or not all(isinstance(item, dict | list) for item in value):
        return None
    return [(number, item, str(item)[:200]) for number, item in enumerate(value, start=1)]


def _cells(value: Any) -> dict[str, str]:
    """The texts and numbers of an object or a list by column."""
    if isinstance(value, list):
        value = {f"column {number}": item for number, item in enumerate(value, start=1)}
    if not isinstance(value, dict):
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
