"""Rows whose cells are parted by a mark: TSV, CSV (RFC 4180) and the like, with or without a header."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from models.corpus.files.table import MAX_CELL_CHARACTERS, RowCollector, Table, check_rows, lines_of
from models.corpus.pairs import DataError
from models.errors import Message

CSV_DELIMITERS = {"\t": "tabs", ";": "semicolons", "|": "bars", ",": "commas"}
_MAX_RECORD_LINES = 100
_MAX_UNCLOSED = 1_000
_SNIFFED = 100_000  # characters
_UNCLOSED = Message("quotation_mark_open", "a quotation mark that is never closed")
_TOO_LONG = Message("text_far_too_long", "a text that is far too long")
_WITHIN_TEXT = Message("quotation_mark_within", "a quotation mark within a text: double it")

# What headers of parallel texts are made of.
_HEADER_WORDS = frozenset(
    re.findall(
        r"\w+",
        """source target src tgt trg input output text texts sentence sentences translation translations label
        question answer prompt completion response original reference hypothesis context id score language
        lang from to word phrase meaning english spanish french german italian portuguese dutch chinese
        mandarin cantonese japanese korean russian ukrainian polish czech slovak hungarian romanian bulgarian
        greek turkish arabic hebrew persian hindi bengali urdu tamil telugu thai vietnamese indonesian malay
        swahili finnish swedish norwegian danish icelandic estonian latvian lithuanian catalan basque galician
        latin esperanto welsh irish""",
    )
)
_LANGUAGE_CODES = frozenset(
    re.findall(
        r"\w+",
        """en es fr de it pt nl zh ja ko ru uk pl cs sk hu ro bg el tr ar he fa hi bn ur ta te th vi id ms sw
        fi sv no nb nn da is et lv lt ca eu gl la eo cy ga sr hr sl mk sq hy ka az kk mn my km lo ne si ml mr
        gu pa kn am yo ha zu af eng spa fra fre deu ger ita por nld zho cmn jpn kor rus ukr pol ces hun ron
        tur ara heb fas hin ben vie tha swe fin dan nor ell lat epo cat""",
    )
)

Record = tuple[int, list[str]] | tuple[int, str, str]  # a row's line and cells; or line, reason and text


def read_delimited(
    text: str,
    name: str,
    format_name: str,
    encoding: str,
    delimiter: str,
    *,
    quoted: bool,
    header: bool | None,
) -> Table:
    """The table of a text. Raises DataError if nothing of it can be read."""
    records = [*records_of(text, delimiter, quoted=quoted)]
    rows = [record for record in records if len(record) == 2]
    has_header = bool(rows) and (_has_header(rows) if header is None else header)
    if has_header:
        width = len(rows[0][1])
        columns = rows[0][1]
    else:
        widths = Counter(len(cells) for _, cells in rows)
        # Of equally common widths the larger: a row that lost a cell is likelier than one that won one.
        width = max(widths, key=lambda cells: (cells > 1, widths[cells], cells), default=0)
        columns = [f"column {number}" for number in range(1, width + 1)]
    collector = RowCollector()
    for record in records:
        if len(record) == 3:
            collector.reject(*record)
        elif has_header and record is rows[0]:
            continue
        elif len(record[1]) != width:
            collector.reject(record[0], _wrong_width(len(record[1]), width), delimiter.join(record[1]))
        else:
            collector.add(*record)
    return collector.table(name, format_name, encoding, columns)


def looks_like_header(cells: Sequence[str], following: Iterable[Sequence[str]]) -> bool:
    """Whether a first row names columns: different short names, two of them words that headers have.

    Codes of languages are also words ("no", "it"), so that they count only over rows of longer texts.
    """
    names = [cell.strip().lower() for cell in cells]
    if len(set(names)) < len(names) or not all(0 < len(name) <= 40 for name in names):
        return False
    if all(re.split("[-_]", name)[0] in _LANGUAGE_CODES for name in names):
        lengths = [len(cell) for row in following for cell in row]
        return sum(lengths) > 5 * len(lengths)
    return sum(bool(_HEADER_WORDS & set(re.split(r"[\W\d_]+", name))) for name in names) >= 2


def _has_header(rows: Sequence[tuple[int, list[str]]]) -> bool:
    return looks_like_header(rows[0][1], (cells for _, cells in rows[1:21]))


def csv_delimiter(text: str) -> str:
    """The mark that parts the first rows most evenly, in two columns or more; a comma if none does."""
    begin = text[:_SNIFFED]

    def evenness(delimiter: str) -> float:
        records = [
            record for record, _ in zip(records_of(begin, delimiter, quoted=True), range(50), strict=False)
        ]
        widths = Counter(len(record[1]) for record in records if len(record) == 2)
        return max((count for width, count in widths.items() if width > 1), default=0) / max(1, len(records))

    best = max(CSV_DELIMITERS, key=evenness)
    return best if evenness(best) else ","


def _wrong_width(count: int, width: int) -> Message:
    if count == 1:
        return Message("one_column_in_row", "1 column where {width} are expected", width=width)
    return Message("columns_in_row", "{count} columns where {width} are expected", count=count, width=width)


def records_of(text: str, delimiter: str, *, quoted: bool) -> Iterator[Record]:
    """The rows that are not blank; `quoted` lets cells in quotation marks hold delimiters and line breaks.

    Raises DataError for too many rows, and for too many with a quotation mark that is never closed.
    """
    lines = lines_of(text)
    number = found = unclosed = 0
    while number < len(lines):
        line = lines[number]
        number += 1
        if not line.strip():
            continue
        found += 1
        check_rows(found)
        if quoted and '"' in line:
            record, used = _quoted_record(lines, number, delimiter)
            number += used
            unclosed += _UNCLOSED in record
            if unclosed > _MAX_UNCLOSED:  # each costs the reading of a hundred lines
                raise DataError(
                    "quotation_marks_open",
                    "more than {limit} rows have {problem}: save the file as TSV, or double the "
                    "quotation marks within texts",
                    limit=_MAX_UNCLOSED,
                    problem=_UNCLOSED,
                )
            yield record
        else:
            yield number, line.split(delimiter)


def _quoted_record(lines: list[str], number: int, delimiter: str) -> tuple[Record, int]:
    """The record that begins on line `number`, and how many further lines it takes."""
    first, used, characters = lines[number - 1], 0, 0

    def further() -> Iterator[str]:
        """Line by line, so that each is read once: the reader asks for one more while a mark is open."""
        nonlocal used, characters
        while (
            used < min(_MAX_RECORD_LINES, len(lines) - number + 1) and characters <= 2 * MAX_CELL_CHARACTERS
        ):
            line = lines[number - 1 + used] + "\n"
            used, characters = used + 1, characters + len(line)
            yield line

    try:
        cells = next(csv.reader(further(), delimiter=delimiter, strict=True))
    except csv.Error as error:
        if "unexpected end" in str(error):
            return (number, _UNCLOSED, first), 0
        if "field limit" in str(error):
            return (number, _TOO_LONG, first), 0
        return (number, _WITHIN_TEXT, first), 0
    return (number, cells), used - 1
