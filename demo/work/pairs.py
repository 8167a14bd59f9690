"""Pairs of sentences: examples in the languages of a checkpoint, and the tables that visitors upload.

The texts in `examples/` were written for this page. A file has a column for each language and a line for each
meaning.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from demo.work.operator.caps import MAX_UPLOAD_BYTES
from demo.work.requests.caller import dropped_without_listener
from demo.work.requests.checks import RequestError, check_short_text
from models.corpus.files.formats import read_table_files
from models.corpus.files.table import Limits, TextTable
from models.corpus.pairs import Pair
from models.errors import Message
from models.registry.checkpoint import CheckpointConfig

EXAMPLES = Path(__file__).parent / "examples"
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


def example_pairs(config: CheckpointConfig) -> tuple[Pair, ...]:
    """The example pairs of a checkpoint's languages; empty if there are none."""
    # Phonemes have no language code.
    target = config.target_language or "phonemes"
    for columns, rows in _texts():
        if config.source_language in columns and target in columns:
            first, second = columns.index(config.source_language), columns.index(target)
            return tuple((row[first], row[second]) for row in rows)
    return ()


@cache
def _texts() -> tuple[tuple[list[str], list[list[str]]], ...]:
    """Columns and rows of each file."""
    result = []
    for path in sorted(EXAMPLES.glob("*.tsv")):
        head, *lines = path.read_text(encoding="utf-8").splitlines()
        result.append((head.split("\t"), [line.split("\t") for line in lines]))
    return tuple(result)
