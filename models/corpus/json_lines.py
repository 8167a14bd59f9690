"""JSON Lines of objects or lists, and JSON files with one list of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from models.corpus.table import RowCollector, Table, check_rows, lines_of

_BROKEN = "no valid JSON"


def read_json(text: str, name: str, encoding: str) -> Table:
    """The table of a text; a nested object's names come after a dot, but "translation" is left out.

    Raises DataError if nothing of it can be read.
    """
    # Before they are made: an empty list takes two characters here and sixty bytes there.
    check_rows((text.count("[") + text.count("{")) // 4)
    whole = _whole_list(text)
    collector = RowCollector()
    objects: list[tuple[int, dict[str, str]]] = []
    columns: dict[str, None] = {}
    for line, value, written in _lines(text) if whole is None else whole:
        cells = _cells(value)
        if value is _Broken or len(cells) < 2:
            reason = _BROKEN if value is _Broken else "no object or list with two texts"
            collector.reject(line, reason, written)
            continue
        objects.append((line, cells))
        columns.update(dict.fromkeys(cells))
    for line, cells in objects:
        collector.add(line, [cells.get(column, "") for column in columns])
    return collector.table(name, "JSON Lines" if whole is None else "JSON", encoding, list(columns))


class _Broken:
    """Stands for what is no JSON, for which `None` will not do."""


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # numbers of thousands of digits and deep nesting, too
        return _Broken


def _lines(text: str) -> Iterator[tuple[int, Any, str]]:
    for number, line in enumerate(lines_of(text), start=1):
        if line.strip():
            yield number, _parsed(line), line


def _whole_list(text: str) -> list[tuple[int, Any, str]] | None:
    """The items of a text that is one list of objects or lists, numbered; None for JSON Lines."""
    if not text.lstrip().startswith("["):
        return None
    value = _parsed(text)
    if value is _Broken or not value or not all(isinstance(item, dict | list) for item in value):
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
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""
