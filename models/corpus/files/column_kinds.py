"""The kind of content that a column has, by its cells and its name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from itertools import pairwise

from models.corpus.files import headers
from models.corpus.files.headers import SIDE_WORDS, word_set
from models.corpus.files.table import TextTable

# First words in the names of columns with a role.
SOURCES = word_set("source src input question prompt original")
REFERENCES = word_set("reference ref target trg tgt translation answer translated")
SCORES = word_set("score comet bleurt metricx xcomet quality")
OUTPUTS = word_set("output mt hyp hypothesis prediction system")
# First or last words in the names of columns about a text, such as its id or its licence.
_CODE_NAMES = word_set(
    "lang language locale code id idx uid uuid key index unnamed line nr number url link domain"
)
_COUNT_NAMES = _CODE_NAMES | word_set("length len count tokens words characters chars annotators year")
_NOTE_NAMES = _CODE_NAMES | SIDE_WORDS | word_set("instruction context speaker annotator rater author time")
_LABEL_NAMES = word_set("system model dataset corpus type level pos tag tags")
EXAMINED_ROWS = 200
_MIN_ID = 1_000  # different numbers are ids only from here on: smaller ones may be scores
_NUMBER_CELL = re.compile(r"[-+]?(\d+([.,]\d+)?|[.,]\d+)(e[-+]?\d+)?", re.IGNORECASE)
_MAX_NUMBER_DIGITS = 18  # longer digits number no row
_NUMBER = r"[-+]?(\d+(\.\d+)?|\.\d+|nan|inf)(e[-+]?\d+)?"
# A feature, its value, or the positions and weights of an alignment: "F0=", "lm:", "-1.7", "0-1", ".2,.8".
_FEATURE = re.compile(rf"(\w+[=:])?({_NUMBER}(,{_NUMBER})*)?|\d+-\d+", re.IGNORECASE)
# The words of dates and times, beside their numbers.
_DATE_WORDS = re.compile(
    r"(mon|tues?|wed(nes)?|thu(rs)?|fri|sat(ur)?|sun)(day)?|gmt|utc|[ap]\.?m\b|(?<=\d)[tz](?=\d|$)|[\W\d_]"
    r"|jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sep(t(ember)?)?|oct(ober)?"
    r"|(nov|dec)(ember)?",
    re.IGNORECASE,
)
_IDENTIFIER_CELL = re.compile(r"[A-Za-z_]+[-_.:#/]?\d+([-_.:#/]\d+)*|https?://\S+|[0-9a-f-]{16,}")
_ATTRIBUTION = re.compile(r"CC[- ]BY|tatoeba\.org", re.IGNORECASE)  # each row of manythings.org has it


class CellKind(Enum):
    """The kind of content that the cells of a column have."""

    TEXT = "texts"
    NUMBER = "numbers"
    NUMBERING = "the numbers of rows"
    CODE = "codes"
    ABOUT = "notes"
    EMPTY = "nothing"


def kind_of(table: TextTable, index: int) -> CellKind:
    """The kind of a column, by its first rows and its name."""
    cells = _cells(table, index)
    if not cells:
        return CellKind.EMPTY
    parts = headers.words(table.columns[index])
    outer_words = {*parts[:1], *parts[-1:]}
    if all(map(_NUMBER_CELL.fullmatch, cells)):
        numbering = outer_words & _COUNT_NAMES or table.is_unnamed(index) or _numbers_rows(cells)
        return CellKind.NUMBERING if numbering else CellKind.NUMBER
    if all(map(_ATTRIBUTION.search, cells)) or all(map(is_feature_list, cells)):
        return CellKind.ABOUT
    if len(table.columns) > 2 and (all(map(_is_date, cells)) or _are_numbered(cells)):
        return CellKind.ABOUT
    single_words = all(len(cell.split()) == 1 for cell in cells)
    if single_words and (
        outer_words & _CODE_NAMES or (len(table.columns) > 2 and all(map(_IDENTIFIER_CELL.fullmatch, cells)))
    ):
        return CellKind.CODE
    constant = len(set(cells)) == 1 and (len(cells) > 2 or len(table.columns) > 2)
    few_values = len(table.columns) > 2 and 3 * len(set(cells)) <= len(cells)
    if (constant or few_values) and all(map(headers.is_language_code, cells)):
        return CellKind.CODE
    if single_words and is_constant(table, index) and not outer_words & (SOURCES | REFERENCES | OUTPUTS):
        return CellKind.ABOUT
    return CellKind.TEXT


def is_feature_list(cell: str) -> bool:
    """Whether a cell has features, log-probabilities or the alignment of an output: "F0= -1.7", "0-0 1-2"."""
    return bool(re.search(r"[=.:]|\d-\d", cell)) and all(map(_FEATURE.fullmatch, cell.split()))


def _is_date(cell: str) -> bool:
    return len(re.findall(r"\d+", cell)) > 1 and not _DATE_WORDS.sub("", cell)


def _are_numbered(cells: Sequence[str]) -> bool:
    """Whether all cells are one word and different numbers, such as "Unit 1" and "Unit 2"."""
    words = {re.sub(r"\d+$", "", cell) for cell in cells}
    return len(words) == 1 < len(set(cells)) == len(cells) and bool(re.fullmatch(r"\w+[ .#]+", words.pop()))


def is_constant(table: TextTable, index: int) -> bool:
    """Whether all rows have the same text in this column, beside two others."""
    cells = _cells(table, index)
    return len(cells) > 2 and len(table.columns) > 2 and len(set(cells)) == 1


def has_letters(table: TextTable, index: int) -> bool:
    """Whether a cell of the column has a letter, unlike dates and lists of numbers."""
    return any(map(str.isalpha, "".join(_cells(table, index))))


def _cells(table: TextTable, index: int) -> list[str]:
    """The first cells of a column that are not empty."""
    return [cell for row in table.rows[:EXAMINED_ROWS] if (cell := row[index].strip())]


def _numbers_rows(cells: Sequence[str]) -> bool:
    """Whether whole numbers count the rows, or are all different and too large for scores."""
    if not all(cell.isdecimal() and len(cell) <= _MAX_NUMBER_DIGITS for cell in cells):
        return False
    numbers = list(map(int, cells))
    counts = len(numbers) > 1 and all(b == a + 1 for a, b in pairwise(numbers))
    return counts or (len(set(numbers)) == len(numbers) and min(numbers) >= _MIN_ID)


def is_score(table: TextTable, index: int) -> bool:
    """Whether a column is named after a measure of quality."""
    return bool(SCORES.intersection(headers.words(table.columns[index])[:1]))


def is_note(table: TextTable, index: int) -> bool:
    """Whether a column is named after something about a text, such as its licence."""
    parts = headers.words(table.columns[index])
    return bool({*parts[:1], *parts[-1:]} & _NOTE_NAMES)


def is_named_output(table: TextTable, index: int) -> bool:
    """Whether a column is named after a system's outputs."""
    return bool(OUTPUTS.intersection(headers.words(table.columns[index])[:1]))


def is_label(table: TextTable, index: int) -> bool:
    """Whether a column beside two others has single words, each of them in two rows on average."""
    cells = _cells(table, index)
    single_words = all(len(cell.split()) == 1 for cell in cells)
    return single_words and len(table.columns) > 2 and len(cells) > 3 and 2 * len(set(cells)) <= len(cells)


def is_output(table: TextTable, index: int, reference: int) -> bool:
    """Whether a column of texts may be a system's output: no other language, source, remark or label.

    Single words that repeat, or stand beside longer references, are outputs only if a reference has one.
    """
    name = table.columns[index]
    parts, cells = headers.words(name), _cells(table, index)
    if is_note(table, index) or SOURCES.intersection(parts[:1]) or headers.language(name):
        return False
    single_words = all(len(cell.split()) < 2 for cell in cells)
    if single_words and len(parts) == 1 and parts[0] in _LABEL_NAMES:
        return False
    if not single_words or is_named_output(table, index):
        return True
    rows = [(row[index].strip().casefold(), row[reference].casefold()) for row in table.rows[:EXAMINED_ROWS]]
    repeat = len(set(cells)) < len(cells) or any(" " in text for _, text in rows)
    return not is_label(table, index) and (not repeat or any(cell and cell in text for cell, text in rows))
