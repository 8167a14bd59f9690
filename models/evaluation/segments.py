"""A test set: sources, their references, and what other systems have made of them.

Read from any table of `models.corpus.files`, whose `columns` says which column is what.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from models.corpus.files.columns import Columns, columns_of
from models.corpus.files.table import Malformed, TextTable, cell_empty, no_row_with_both
from models.corpus.pairs import DataError, Pair, by_source, cleaned
from models.errors import Message

MOST_SYSTEMS = 4


@dataclass(frozen=True)
class Segment:
    """One text to translate; "segment" is what WMT calls it, for it may be more than a sentence."""

    source: str
    references: tuple[str, ...]  # at least one
    line: int  # of the file, from 1


@dataclass(frozen=True)
class Segments:
    """N segments, with what the file has besides."""

    all: tuple[Segment, ...]
    outputs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # N by a system's name
    scores: Mapping[str, tuple[float, ...]] = field(default_factory=dict)  # N by a column's name
    left_out: tuple[Malformed, ...] = ()  # the first rows that could not be used
    left_out_count: int = 0
    notes: tuple[str, ...] = ()  # sentences on what is unusual about it

    def __len__(self) -> int:
        return len(self.all)

    @property
    def sources(self) -> list[str]:
        """N."""
        return [segment.source for segment in self.all]

    @property
    def references(self) -> list[tuple[str, ...]]:
        """N tuples."""
        return [segment.references for segment in self.all]


def of_pairs(pairs: Iterable[Pair]) -> Segments:
    """Segments of sources and references alone; a source that comes again has several references.

    Raises DataError without any.
    """
    pairs = tuple((cleaned(source), cleaned(reference)) for source, reference in pairs)
    lines: dict[str, int] = {}
    for line, (source, _) in enumerate(pairs, 1):
        lines.setdefault(source, line)
    grouped = by_source(pairs)
    result = tuple(Segment(text, tuple(all_of), lines[text]) for text, all_of in grouped.items())
    if not result:
        raise DataError("no_pair_to_evaluate", "there is no pair to evaluate: give a source and a reference")
    return Segments(result, notes=tuple(_notes(result)))


def of_table(table: TextTable, columns: Columns | None = None) -> Segments:
    """The rows of a table as segments; `columns` as they are taken for by themselves where it is None.

    Rows of one source and the same outputs become one segment with several references. Raises DataError: no
    row has a source and a reference, a score is no number, more systems than MOST_SYSTEMS.
    """
    places = columns or columns_of(table)
    rows, rejected = _usable(table, places)
    names = table.columns
    if len(places.outputs) > MOST_SYSTEMS:
        raise DataError(
            "too_many_outputs",
            "the file has outputs of {count} systems: at most {limit} are compared, drop the other columns",
            count=len(places.outputs),
            limit=MOST_SYSTEMS,
        )
    grouped: dict[tuple[str, ...], tuple[int, list[str]]] = {}
    numbers: dict[tuple[str, ...], list[float]] = {}
    for line, row in rows:
        key = (row[places.source], *(row[place] for place in places.outputs))
        references = grouped.setdefault(key, (line, []))[1]
        own = dict.fromkeys(filter(None, (row[place] for place in places.references)))
        references += [text for text in own if text not in references]
        numbers.setdefault(key, [_score(row[place], names[place], line) for place in places.scores])
    result = tuple(Segment(key[0], tuple(all_of), line) for key, (line, all_of) in grouped.items())
    outputs = {names[p]: tuple(key[1 + index] for key in grouped) for index, p in enumerate(places.outputs)}
    scores = {
        names[p]: tuple(numbers[key][index] for key in grouped) for index, p in enumerate(places.scores)
    }
    count = table.malformed_count + len(rejected)
    left_out = tuple(sorted((*table.malformed, *rejected), key=lambda row: row.line))
    return Segments(result, outputs, scores, left_out, count, tuple(_notes(result)))


def _usable(table: TextTable, places: Columns) -> tuple[list[tuple[int, list[str]]], list[Malformed]]:
    """Rows with a source and a reference, cleaned, by their lines; and those without. Raises DataError."""
    rows, rejected = [], []
    for line, cells in zip(table.lines, table.rows, strict=True):
        row = [cleaned(cell) for cell in cells]
        if row[places.source] and any(row[place] for place in places.references):
            rows.append((line, row))
            continue
        missing = places.source if not row[places.source] else places.references[0]
        reason = cell_empty(table.columns[missing])
        rejected.append(Malformed(line, reason, " | ".join(filter(None, row))[:80]))
    if rows:
        return rows, rejected
    raise DataError(no_row_with_both(table.columns[places.source], table.columns[places.references[0]]))


def _score(text: str, name: str, line: int) -> float:
    """Raises DataError for what is no number."""
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        value = math.nan
    if math.isfinite(value):
        return value
    raise DataError(
        "score_is_no_number",
        "line {line}: the score in column {name} is no number ({text}): put one there, or drop the column",
        line=line,
        name=repr(name),
        text=repr(text[:40]),
    )


def _notes(segments: Sequence[Segment]) -> Iterable[str]:
    if len(segments) == 1:
        yield Message(
            "one_segment",
            "There is only one segment: an interval or a breakdown needs more.",
        )
    elif len({segment.references for segment in segments}) == 1:
        yield Message(
            "same_references",
            "All segments have the same reference: the corpus scores say little.",
        )
