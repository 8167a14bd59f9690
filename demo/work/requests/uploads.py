"""The tables that visitors upload."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from demo.work.operator.caps import MAX_UPLOAD_BYTES
from demo.work.requests.checks import RequestError, check_short_text
from demo.work.requests.listener import dropped_without_listener
from models.corpus.files.formats import read_table_files
from models.corpus.files.table import Limits, TextTable
from models.errors import Message

NO_FILE = Message("file_missing", "Choose a file first: TSV, CSV, JSON Lines or TMX.")


def chosen_files(value: object) -> tuple[str, ...]:
    """The paths in the value of a file widget, which may have several. Raises RequestError."""
    paths = tuple(value) if isinstance(value, list) else (value,) if value else ()
    for path in paths:
        check_short_text("path", path, 500)
    return paths


def read_upload(paths: Sequence[str], encoding: str = "") -> TextTable:
    """The table of uploaded files. Raises RequestError, DataError."""
    if not paths:
        raise RequestError(NO_FILE)
    limits = Limits(size=MAX_UPLOAD_BYTES)
    with dropped_without_listener():
        return read_table_files([*map(Path, paths)], encoding=encoding or None, limits=limits)
