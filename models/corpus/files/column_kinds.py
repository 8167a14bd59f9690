"""A column of a table: its name, its first cells, and the kind of content that they are."""

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


class Column:
    """A column of a table, and the traits that its name and its first cells give it."""

    def __init__(self, table: TextTable, index: int) -> None:
        self.index, self.name = index, table.columns[index]
        self.texts = [row[index] for row in table.rows[:EXAMINED_ROWS]]
        self.cells = [cell for text in self.texts if (cell := text.strip())]  # not the empty ones
        self.words = headers.words(self.name)
        self.outer_words = {*self.words[:1], *self.words[-1:]}
        self.is_unnamed, self.is_beside_two = table.is_unnamed(index), len(table.columns) > 2
        self.has_single_words = all(len(cell.split()) == 1 for cell in self.cells)
        # Whether it is named after a measure of quality, after a system's outputs, or after something about a
        # text, such as its licence.
        self.is_score = bool(SCORES.intersection(self.words[:1]))
        self.is_named_output = bool(OUTPUTS.intersection(self.words[:1]))
        self.is_note = bool(self.outer_words & _NOTE_NAMES)
        values, count = len(set(self.cells)), len(self.cells)
        # Whether all rows have the same text.
        self.is_constant = self.is_beside_two and count > 2 and values == 1
        # Whether it has single words, each of them in two rows on average.
        self.is_label = self.is_beside_two and self.has_single_words and count > 3 and 2 * values <= count
        self.kind = self._kind()

    @property
    def has_letters(self) -> bool:
        """Whether a cell has a letter, unlike dates and lists of numbers."""
        return any(map(str.isalpha, "".join(self.cells)))

    def is_output(self, reference: Column) -> bool:
        """Whether texts may be a system's output: no other language, source, remark or label.

        Single words that repeat, or stand beside longer references, are outputs only if a reference has one.
        """
        if self.is_note or SOURCES.intersection(self.words[:1]) or headers.language(self.name):
            return False
        if self.has_single_words and len(self.words) == 1 and self.words[0] in _LABEL_NAMES:
            return False
        if not self.has_single_words or self.is_named_output:
            return True
        rows = [
            (cell.strip().casefold(), text.casefold())
            for cell, text in zip(self.texts, reference.texts, strict=True)
        ]
        repeat = len(set(self.cells)) < len(self.cells) or any(" " in text for _, text in rows)
        return not self.is_label and (not repeat or any(cell and cell in text for cell, text in rows))

    def _kind(self) -> CellKind:
        cells = self.cells
        if not cells:
            return CellKind.EMPTY
        if all(map(_NUMBER_CELL.fullmatch, cells)):
            numbering = self.outer_words & _COUNT_NAMES or self.is_unnamed or _numbers_rows(cells)
            return CellKind.NUMBERING if numbering else CellKind.NUMBER
        if all(map(_ATTRIBUTION.search, cells)) or all(map(is_feature_list, cells)):
            return CellKind.ABOUT
        if self.is_beside_two and (all(map(_is_date, cells)) or _are_numbered(cells)):
            return CellKind.ABOUT
        if self.has_single_words and (
            self.outer_words & _CODE_NAMES
            or (self.is_beside_two and all(map(_IDENTIFIER_CELL.fullmatch, cells)))
        ):
            return CellKind.CODE
        constant = len(set(cells)) == 1 and (len(cells) > 2 or self.is_beside_two)
        few_values = self.is_beside_two and 3 * len(set(cells)) <= len(cells)
        if (constant or few_values) and all(map(headers.is_language_code, cells)):
            return CellKind.CODE
        if (
            self.has_single_words
            and self.is_constant
            and not self.outer_words & (SOURCES | REFERENCES | OUTPUTS)
        ):
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


def _numbers_rows(cells: Sequence[str]) -> bool:
    """Whether whole numbers count the rows, or are all different and too large for scores."""
    if not all(cell.isdecimal() and len(cell) <= _MAX_NUMBER_DIGITS for cell in cells):
        return False
    numbers = list(map(int, cells))
    counts = len(numbers) > 1 and all(b == a + 1 for a, b in pairwise(numbers))
    return counts or (len(set(numbers)) == len(numbers) and min(numbers) >= _MIN_ID)
