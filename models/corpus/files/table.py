"""Rows of texts under named columns, the rows that could not be read, and the pairs of two columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from models.budget import let_others_run
from models.corpus.pairs import DataError, Pair, clean_text
from models.errors import Message

MAX_TABLE_ROWS = 500_000  # the default limit
MAX_COLUMNS = 100
MAX_CELL_CHARACTERS = 5_000
_CELLS_A_ROW = 10  # the most, on average, in a file of as many rows as are allowed
_ROWS_AT_ONCE = 500  # rows that are read without a pause
MAX_SHOWN = 1_000  # malformed rows that are kept; the others are counted
_QUOTED_CHARACTERS = 80


@dataclass(frozen=True)
class Limits:
    """The limits of a file."""

    size: int = 20_000_000  # bytes
    unpacked: int = 50_000_000  # bytes that a gzip archive unpacks to
    rows: int = MAX_TABLE_ROWS


USUAL_LIMITS = Limits()


@dataclass(frozen=True)
class Malformed:
    """A row that cannot be used."""

    line: int  # the line of the file on which it begins, from 1
    reason: str
    text: str  # its beginning, at most 80 characters


@dataclass(frozen=True)
class PairSelection:
    """The pairs of a table's columns, and the rows that gave no pair."""

    pairs: tuple[Pair, ...]
    lines: tuple[int, ...]  # the line on which the row of each pair begins
    malformed: tuple[Malformed, ...]  # the first of them, by line
    malformed_count: int


@dataclass(frozen=True)
class TextTable:
    """The contents of a file, with its cells unchanged."""

    format: str
    encoding: str
    columns: tuple[str, ...]  # different names
    rows: tuple[tuple[str, ...], ...]  # one cell for each column
    lines: tuple[int, ...]  # the line on which each row begins in the file
    malformed: tuple[Malformed, ...]  # the first of them, by line
    malformed_count: int

    def select(self, source: str, *targets: str) -> PairSelection:
        """The pairs of a source column and one or more target columns. Texts are `clean_text`.

        Raises DataError for a column that does not exist, and if no row has both texts.
        """
        source_index, target_indices = self.column(source), [self.column(name) for name in targets]
        collector = RowCollector(len(self.rows) + self.malformed_count)
        collector.malformed, collector.malformed_count = list(self.malformed), self.malformed_count
        pairs: list[Pair] = []
        lines: list[int] = []
        for line, row in zip(self.lines, self.rows, strict=True):
            text = clean_text(row[source_index])
            texts = dict.fromkeys(filter(None, (clean_text(row[index]) for index in target_indices)))
            if text and texts:
                pairs += ((text, target) for target in texts)
                lines += [line] * len(texts)
            else:
                empty = targets[0] if text else source
                collector.reject(line, cell_empty(empty), " | ".join(filter(None, map(str.strip, row))))
        if not pairs:
            raise DataError(no_row_with_both(source, targets[0]))
        malformed = sorted(collector.malformed, key=lambda row: row.line)
        return PairSelection(
            tuple(pairs), tuple(lines), tuple(malformed[:MAX_SHOWN]), collector.malformed_count
        )

    def pairs(self, source: str, *targets: str) -> tuple[Pair, ...]:
        """The pairs of `select` alone."""
        return self.select(source, *targets).pairs

    def is_unnamed(self, index: int) -> bool:
        """Whether a column has no name but another one has. pandas writes no name for its index."""
        return self.has_names and self.columns[index] == f"column {index + 1}"

    @property
    def has_names(self) -> bool:
        """Whether a column has a name of its own."""
        return any(name != f"column {number}" for number, name in enumerate(self.columns, 1))

    @property
    def may_lack_header(self) -> bool:
        """Whether the first line may be a pair; other formats say whether their columns have names."""
        return not self.format.startswith(("JSON", "TMX", "Anki", "fairseq", "aligned"))

    def with_header(self, header: bool) -> TextTable:
        """Return the table with its first line as names of columns, or as a row. Raises DataError."""
        if header == self.has_names:
            return self
        if not header:
            rows, lines = (self.columns, *self.rows), (1, *self.lines)
            return replace(self, columns=unique_names([""] * len(self.columns)), rows=rows, lines=lines)
        if len(self.rows) < 2:
            raise DataError("only_a_header", "there is no row below the names of the columns")
        return replace(self, columns=unique_names(self.rows[0]), rows=self.rows[1:], lines=self.lines[1:])

    def column(self, name: str) -> int:
        """The index of the column with this name. Raises DataError if the table lacks it."""
        if name not in self.columns:
            raise DataError(
                "no_such_column",
                "there is no column {name}: choose one of {columns}",
                name=repr(name),
                columns=", ".join(self.columns),
            )
        return self.columns.index(name)


def cell_empty(column: str) -> Message:
    """The reason why a row without a text is left out."""
    return Message("cell_empty", "no text in column {name}", name=repr(column))


def no_row_with_both(source: str, target: str) -> Message:
    """The sentence for two columns that are never filled in together."""
    return Message(
        "no_row_with_both",
        "no row has a text in both {source} and {target}: choose other columns",
        source=repr(source),
        target=repr(target),
    )


class RowCollector:
    """Gathers the rows of a table while it is read, within the limits."""

    def __init__(self, max_rows: int = MAX_TABLE_ROWS) -> None:
        self.max_rows = max_rows
        self.rows: list[tuple[str, ...]] = []
        self.lines: list[int] = []
        self.malformed: list[Malformed] = []  # the first of them
        self.malformed_count = self._num_cells = 0

    def add(self, line: int, cells: Sequence[str]) -> None:
        """Add a row. Raises DataError beyond `max_rows`, and for too many cells."""
        if max(map(len, cells), default=0) > MAX_CELL_CHARACTERS:
            reason = Message(
                "cell_too_long", "a text of more than {limit} characters", limit=f"{MAX_CELL_CHARACTERS:,}"
            )
            return self.reject(line, reason, " | ".join(cell[:_QUOTED_CHARACTERS] for cell in cells))
        self._num_cells += len(cells)
        check_cells(self._num_cells, self.max_rows)
        self.rows.append(tuple(cells))
        self.lines.append(line)
        self._check_size()
        return None

    def reject(self, line: int, reason: str, text: str) -> None:
        """Count a row that cannot be used. Raises DataError beyond `max_rows`."""
        self.malformed_count += 1
        # Twice as many as are shown: `select` adds rows with empty cells, then sorts all rows by line.
        if len(self.malformed) < 2 * MAX_SHOWN:
            beginning = clean_text(text[: 2 * _QUOTED_CHARACTERS])[:_QUOTED_CHARACTERS]
            self.malformed.append(Malformed(line, reason, beginning))
        self._check_size()

    def table(self, name: str, format_name: str, encoding: str, columns: Sequence[str]) -> TextTable:
        """The table. Raises DataError if it has fewer than two columns, too many, or no row."""
        if not self.rows:
            raise DataError(self._no_row(name, format_name))
        if len(columns) < 2:
            raise DataError(
                "one_column",
                "{name} has only one column as {format}: put source and target into two columns",
                name=name,
                format=format_name,
            )
        check_columns(name, len(columns))
        malformed = tuple(sorted(self.malformed, key=lambda row: row.line)[:MAX_SHOWN])
        return TextTable(
            format=format_name,
            encoding=encoding,
            columns=unique_names(columns),
            rows=tuple(self.rows),
            lines=tuple(self.lines),
            malformed=malformed,
            malformed_count=self.malformed_count,
        )

    def _no_row(self, name: str, format_name: str) -> Message:
        if not self.malformed:
            return Message(
                "no_row",
                "{name} holds no row that can be read as {format}: fix it or choose another",
                name=name,
                format=format_name,
            )
        return Message(
            "no_row_but_malformed",
            "{name} holds no row that can be read as {format}; line {line} has {reason}: fix it or choose "
            "another",
            name=name,
            format=format_name,
            line=self.malformed[0].line,
            reason=self.malformed[0].reason,
        )

    def _check_size(self) -> None:
        check_rows(len(self.rows) + self.malformed_count, self.max_rows)


def check_columns(name: str, count: int) -> None:
    """Raise DataError beyond MAX_COLUMNS."""
    if count > MAX_COLUMNS:
        raise DataError(
            "too_many_columns",
            "{name} has {count} columns: at most {limit} are read, keep those of the texts",
            name=name,
            count=count,
            limit=MAX_COLUMNS,
        )


def check_rows(rows: int, max_rows: int = MAX_TABLE_ROWS) -> None:
    """Raise DataError beyond `max_rows`. Each reader calls it for each row, so other work may run here."""
    if not rows % _ROWS_AT_ONCE:
        let_others_run()
    if rows > max_rows:
        raise DataError(
            "too_many_rows", "the file has more than {limit} rows: take a part of it", limit=f"{max_rows:,}"
        )


def check_cells(count: int, max_rows: int = MAX_TABLE_ROWS) -> None:
    """Raise DataError if all rows together have too many cells, the empty ones included."""
    if count > _CELLS_A_ROW * max_rows:
        raise DataError(
            "table_too_large",
            "the file has more than {limit} cells: keep the columns of the texts, or take a part of it",
            limit=f"{_CELLS_A_ROW * max_rows:,}",
        )


def lines_of(text: str, max_rows: int = MAX_TABLE_ROWS) -> list[str]:
    """The lines of a text without their ends. Raises DataError if there are far more than `max_rows` rows.

    A carriage return ends a line only in a text without line feeds.
    """
    text = text.replace("\r\n", "\n")
    text = text.replace("\r", " " if "\n" in text else "\n")
    # Checked before the list is made: millions of blank lines would take most of a gigabyte. Some lines are
    # blank or within quotation marks.
    check_rows(text.count("\n") // 4, max_rows)
    return text.split("\n")


def unique_names(columns: Sequence[str]) -> tuple[str, ...]:
    """Return the names of columns, with a number for empty and repeated ones."""
    names: list[str] = []
    for number, column in enumerate(columns, start=1):
        name = clean_text(column)[:_QUOTED_CHARACTERS] or f"column {number}"
        names.append(f"{name} ({number})" if name in names else name)
    return tuple(names)
