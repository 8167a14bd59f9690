"""A test set: sources, their references, and outputs of other systems.

It is read from any table of `models.corpus.files`; the `columns` module there finds the role of each column.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from models.corpus.files.columns import Columns, columns_of
from models.corpus.files.table import Malformed, TextTable, cell_empty, no_row_with_both
from models.corpus.pairs import DataError, Pair, by_source, clean_text
from models.errors import Message

MAX_SYSTEMS = 4


@dataclass(frozen=True)
class Segment:
    """One text to translate. WMT calls it a segment, since it may have several sentences."""

    source: str
    references: tuple[str, ...]  # one or more
    line: int  # the line of the file, from 1


@dataclass(frozen=True)
class Segments:
    """N segments, with the further columns of the file."""

    all: tuple[Segment, ...]
    outputs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # N by a system's name
    scores: Mapping[str, tuple[float, ...]] = field(default_factory=dict)  # N by a column's name
    left_out: tuple[Malformed, ...] = ()  # the first rows that could not be used
    left_out_count: int = 0
    notes: tuple[str, ...] = ()  # sentences about unusual test sets

    def __len__(self) -> int:
        return len(self.all)

    @property
    def sources(self) -> list[str]:
        """The N sources."""
        return [segment.source for segment in self.all]

    @property
    def references(self) -> list[tuple[str, ...]]:
        """The references of each of N segments."""
        return [segment.references for segment in self.all]


def segments_of_pairs(pairs: Iterable[Pair]) -> Segments:
    """Segments of sources and references alone; a repeated source has several references.

    Raises DataError if there are none.
    """
    pairs = tuple((clean_text(source), clean_text(reference)) for source, reference in pairs)
    lines: dict[str, int] = {}
    for line, (source, _) in enumerate(pairs, 1):
        lines.setdefault(source, line)
    grouped = by_source(pairs)
    segments = tuple(Segment(text, tuple(references), lines[text]) for text, references in grouped.items())
    if not segments:
        raise DataError("no_pair_to_evaluate", "there is no pair to evaluate: give a source and a reference")
    return Segments(segments, notes=tuple(_notes(segments)))


def segments_of_table(table: TextTable, columns: Columns | None = None) -> Segments:
    """The rows of a table as segments. Without `columns` their roles are recognised.

    Rows with the same source and outputs become one segment with several references. Raises DataError if no
    row has a source and a reference, a score is not a number, or there are more systems than MAX_SYSTEMS.
    """
    columns = columns or columns_of(table)
    rows, rejected = _usable(table, columns)
    names = table.columns
    if len(columns.outputs) > MAX_SYSTEMS:
        raise DataError(
            "too_many_outputs",
            "the file has outputs of {count} systems: at most {limit} are compared, drop the other columns",
            count=len(columns.outputs),
            limit=MAX_SYSTEMS,
        )
    grouped: dict[tuple[str, ...], tuple[int, list[str]]] = {}
    numbers: dict[tuple[str, ...], list[float]] = {}
    for line, row in rows:
        key = (row[columns.source], *(row[column] for column in columns.outputs))
        references = grouped.setdefault(key, (line, []))[1]
        distinct = dict.fromkeys(filter(None, (row[column] for column in columns.references)))
        references += [text for text in distinct if text not in references]
        numbers.setdefault(key, [_score(row[column], names[column], line) for column in columns.scores])
    segments = tuple(Segment(key[0], tuple(texts), line) for key, (line, texts) in grouped.items())
    outputs = {
        names[column]: tuple(key[1 + number] for key in grouped)
        for number, column in enumerate(columns.outputs)
    }
    scores = {
        names[column]: tuple(numbers[key][number] for key in grouped)
        for number, column in enumerate(columns.scores)
    }
    count = table.malformed_count + len(rejected)
    left_out = tuple(sorted((*table.malformed, *rejected), key=lambda row: row.line))
    return Segments(segments, outputs, scores, left_out, count, tuple(_notes(segments)))


def _usable(table: TextTable, columns: Columns) -> tuple[list[tuple[int, list[str]]], list[Malformed]]:
    """Split rows into usable ones, which have a source and a reference, and malformed ones.

    Usable rows are cleaned, with their line numbers. Raises DataError if no row is usable.
    """
    rows, rejected = [], []
    for line, cells in zip(table.lines, table.rows, strict=True):
        row = [clean_text(cell) for cell in cells]
        if row[columns.source] and any(row[column] for column in columns.references):
            rows.append((line, row))
            continue
        missing = columns.source if not row[columns.source] else columns.references[0]
        reason = cell_empty(table.columns[missing])
        rejected.append(Malformed(line, reason, " | ".join(filter(None, row))[:80]))
    if rows:
        return rows, rejected
    raise DataError(no_row_with_both(table.columns[columns.source], table.columns[columns.references[0]]))


def _score(text: str, name: str, line: int) -> float:
    """The number in a cell. Raises DataError for any other text."""
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        value = math.nan
    if math.isfinite(value):
        return value
    raise DataError(
        "score_is_no_number",
        "line {line}: the score in column {name} is not a number ({text}): put one there, or drop the column",
        line=line,
        name=repr(name),
        text=repr(text[:40]),
    )


def _notes(segments: Sequence[Segment]) -> Iterable[str]:
    if len(segments) == 1:
        yield Message("one_segment", "There is only one segment: an interval or a breakdown needs more.")
    elif len({segment.references for segment in segments}) == 1:
        yield Message(
            "same_references", "All segments have the same reference: the corpus scores say little."
        )
