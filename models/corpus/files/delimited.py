"""Delimited text: TSV, CSV (RFC 4180) and the like, with or without a header."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from models.corpus.files import table
from models.corpus.files.headers import looks_like_header
from models.corpus.files.table import Limits, RowCollector, TextTable
from models.corpus.pairs import DataError
from models.errors import Message

CSV_DELIMITERS = {"\t": "tabs", ";": "semicolons", "|": "bars", ",": "commas"}
_MAX_RECORD_LINES = 100
_MAX_TITLE_ROWS = 5
_MAX_UNCLOSED = 1_000
_MAX_LINE_CHARACTERS = table.MAX_COLUMNS * table.MAX_CELL_CHARACTERS  # a line with quotation marks
SNIFFED_CHARACTERS = 100_000
_MARKDOWN_RULE = re.compile(r"\s*:?-+:?\s*")  # a cell of the line below the head of a Markdown table
_AS_TEXT = re.compile(r'="(.*)"', re.DOTALL)  # how a spreadsheet is told that a cell is a text
_UNCLOSED = Message("quotation_mark_open", "a quotation mark that is never closed")
_TOO_LONG = Message("text_far_too_long", "a text that is far too long")
_WITHIN_TEXT = Message("quotation_mark_within", "a quotation mark within a text: double it")

# (line, cells) of a row, or (line, reason, text) of a malformed one.
Record = tuple[int, list[str]] | tuple[int, str, str]


@dataclass(frozen=True)
class Dialect:
    """How the cells of a row are separated."""

    name: str  # the name of the format for people
    delimiter: str
    quoted: bool  # cells in quotation marks may hold delimiters and line breaks


def read_delimited(
    text: str, name: str, encoding: str, dialect: Dialect, header_names: Collection[str], limits: Limits
) -> TextTable:
    """The table of a text; a first row with all `header_names` is a header. Raises DataError."""
    records = [
        record if len(record) == 3 else (record[0], [*map(_text_in_formula, record[1])])
        for record in records_of(text, dialect.delimiter, quoted=dialect.quoted, max_rows=limits.rows)
    ]
    rows = [record for record in records if len(record) == 2]
    rule = rows[1] if dialect.delimiter == "|" and len(rows) > 1 and _is_rule(rows[1][1]) else None
    header_record = rows[0] if rule else _header(rows, header_names)
    has_header = header_record is not None
    widths = Counter(_filled_width(record[1]) for record in rows if record is not header_record)
    # Of two equally common widths take the larger: rows more often lack a cell than have one too many.
    width = max(widths, key=lambda cells: (cells > 1, widths[cells], cells), default=0)
    columns = [f"column {number}" for number in range(1, width + 1)]
    if header_record is not None:
        header = header_record[1]
        columns = header[: max(_filled_width(header), min(width, len(header)))]
        width = len(columns)
    if width > table.MAX_COLUMNS:
        table.check_columns(name, max(_num_columns(cells, dialect.delimiter) for _, cells in rows))
    collector = RowCollector(limits.rows)
    for record in records:
        if len(record) == 3:
            collector.reject(*record)
        elif record is header_record or record is rule:
            continue
        elif cells := _fit_to_width(record[1], width, pad=has_header):
            collector.add(record[0], cells)
        else:
            reason = _wrong_width(_num_columns(record[1], dialect.delimiter), width)
            collector.reject(record[0], reason, dialect.delimiter.join(record[1]))
    return collector.table(name, dialect.name, encoding, columns)


def _header(
    rows: Sequence[tuple[int, list[str]]], header_names: Collection[str]
) -> tuple[int, list[str]] | None:
    """The row that names the columns: the first one, or the first after a title or a remark of one cell."""
    for number, (_, cells) in enumerate(rows[:_MAX_TITLE_ROWS]):
        if (width := _filled_width(cells)) > 1:
            following = (cells for _, cells in rows[number + 1 : number + 21])
            return rows[number] if looks_like_header(cells[:width], following, header_names) else None
    return None


def _without_excess(cells: list[str], delimiter: str) -> list[str]:
    """Return MAX_COLUMNS cells or fewer, and one more cell with the text of all others, if they have any."""
    further = delimiter.join(cells[table.MAX_COLUMNS :])
    return cells[: table.MAX_COLUMNS] + ([further] if further.replace(delimiter, " ").strip() else [])


def _num_columns(cells: Sequence[str], delimiter: str) -> int:
    """The columns of a row that `_without_excess` has shortened, or of any other."""
    return len(cells) + (cells[-1].count(delimiter) if len(cells) > table.MAX_COLUMNS else 0)


def _is_rule(cells: Sequence[str]) -> bool:
    filled = [cell for cell in cells if cell.strip()]
    return len(filled) > 1 and all(map(_MARKDOWN_RULE.fullmatch, filled))


def _text_in_formula(cell: str) -> str:
    """The text of a cell that is written as the formula ="text"."""
    match = _AS_TEXT.fullmatch(cell)
    return match[1].replace('""', '"') if match else cell


def _filled_width(cells: Sequence[str]) -> int:
    """Cells up to the last that is not empty: editors and spreadsheets leave delimiters behind."""
    return next((end for end in range(len(cells), 0, -1) if cells[end - 1].strip()), 0)


def _fit_to_width(cells: list[str], width: int, *, pad: bool) -> list[str] | None:
    """Cut empty cells off a row, or pad it, so that it has `width` cells; None if that is impossible."""
    if _filled_width(cells) > width or (len(cells) < width and (not pad or len(cells) < 2)):
        return None
    return cells[:width] + [""] * (width - len(cells))


def csv_delimiter(text: str) -> str:
    """The delimiter that gives most rows the same number of columns, at least two; a comma if none does."""
    beginning = text[:SNIFFED_CHARACTERS]

    def evenness(delimiter: str) -> float:
        records = [
            record
            for record, _ in zip(records_of(beginning, delimiter, quoted=True), range(50), strict=False)
        ]
        widths = Counter(len(record[1]) for record in records if len(record) == 2)
        return max((count for width, count in widths.items() if width > 1), default=0) / max(1, len(records))

    best = max(CSV_DELIMITERS, key=evenness)
    return best if evenness(best) else ","


def _wrong_width(count: int, width: int) -> Message:
    if count == 1:
        return Message("one_column_in_row", "1 column where {width} are expected", width=width)
    return Message("columns_in_row", "{count} columns where {width} are expected", count=count, width=width)


def is_quoted(text: str, delimiter: str, max_rows: int = table.MAX_TABLE_ROWS) -> bool:
    """Whether quotation marks are only where a program that writes CSV puts them.

    It quotes every cell, or the cells that need it. Any other mark is part of a sentence.
    """
    if '"' not in text:
        return False
    lines = table.lines_of(text, max_rows)
    styles, widths = {csv.QUOTE_MINIMAL, csv.QUOTE_ALL}, set()
    for record in records_of(text, delimiter, quoted=True, max_rows=max_rows):
        if len(record) == 3:
            return False
        widths.add(len(record[1]))
        styles = {style for style in styles if _is_written(record, lines, delimiter, style)}
        if not styles or widths == {1}:
            return False
    return True


def _is_written(record: tuple[int, list[str]], lines: list[str], delimiter: str, style: int) -> bool:
    output = io.StringIO()
    csv.writer(output, delimiter=delimiter, quoting=style, lineterminator="\n").writerow(record[1])  # type: ignore[arg-type]
    expected = output.getvalue().split("\n")[:-1]
    return lines[record[0] - 1 : record[0] - 1 + len(expected)] == expected


def records_of(
    text: str, delimiter: str, *, quoted: bool, max_rows: int = table.MAX_TABLE_ROWS
) -> Iterator[Record]:
    """The rows that are not blank; `quoted` lets cells in quotation marks hold delimiters and line breaks.

    Raises DataError for too many rows, and for too many with a quotation mark that is never closed.
    """
    lines = table.lines_of(text, max_rows)
    number = num_rows = num_cells = unclosed = 0
    while number < len(lines):
        line = lines[number]
        number += 1
        if not line.strip():
            continue
        num_rows += 1
        table.check_rows(num_rows, max_rows)
        record: Record
        if quoted and '"' in line:
            record, further_lines = _quoted_record(lines, number, delimiter)
            number += further_lines
            unclosed += _UNCLOSED in record
            if unclosed > _MAX_UNCLOSED:  # each takes reading a hundred lines
                raise DataError(
                    "quotation_marks_open",
                    "more than {limit} rows have {problem}: save the file as TSV, or double the "
                    "quotation marks within texts",
                    limit=_MAX_UNCLOSED,
                    problem=_UNCLOSED,
                )
        else:
            record = number, _without_excess(line.split(delimiter, table.MAX_COLUMNS), delimiter)
        num_cells += len(record[1]) if len(record) == 2 else 0
        table.check_cells(num_cells, max_rows)
        yield record


def _quoted_record(lines: list[str], number: int, delimiter: str) -> tuple[Record, int]:
    """The record that begins on line `number`, and the number of further lines that it takes."""
    first, line_count, characters = lines[number - 1], 0, 0
    if len(first) > _MAX_LINE_CHARACTERS:
        return (number, _TOO_LONG, first), 0

    def further_lines() -> Iterator[str]:
        """Yield lines one by one: the CSV reader asks for another one while a quotation mark is open."""
        nonlocal line_count, characters
        while (
            line_count < min(_MAX_RECORD_LINES, len(lines) - number + 1)
            and characters <= 2 * table.MAX_CELL_CHARACTERS
        ):
            line = lines[number - 1 + line_count] + "\n"
            line_count, characters = line_count + 1, characters + len(line)
            yield line

    try:
        cells = next(csv.reader(further_lines(), delimiter=delimiter, strict=True))
    except csv.Error as error:
        if "unexpected end" in str(error):
            return (number, _UNCLOSED, first), 0
        if "field limit" in str(error):
            return (number, _TOO_LONG, first), 0
        return (number, _WITHIN_TEXT, first), 0
    return (number, _without_excess(cells, delimiter)), line_count - 1
