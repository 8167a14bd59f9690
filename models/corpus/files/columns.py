"""The roles of a table's columns, from the user's words, the columns' names, content and position."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from models.corpus.files import headers
from models.corpus.files.languages import column_direction
from models.corpus.files.table import TextTable
from models.corpus.pairs import DataError
from models.errors import Message, not_one_of

SOURCE, REFERENCE, OUTPUT, SCORE = "source", "reference", "output", "score"
ROLES = (SOURCE, REFERENCE, OUTPUT, SCORE)
SOURCES = ("source", "src", "input", "question", "prompt")
REFERENCES = ("reference", "ref", "target", "trg", "tgt", "translation", "answer")
SCORES = ("score", "comet", "bleurt", "metricx", "xcomet", "quality")
_ROLE_NAMES = {SOURCE: ("source",), REFERENCE: ("reference", "target")}
# First or last words in the names of columns about a text, such as its id or its licence.
_CODE_NAMES = frozenset(
    re.findall(
        r"\w+",
        """lang language locale code id idx uid uuid key index unnamed line nr number url link domain""",
    )
)
_NOTE_NAMES = _CODE_NAMES | frozenset(
    re.findall(r"\w+", "license licence attribution split genre category topic notes note comment file")
)
_EXAMINED_ROWS = 200
_MIN_ID = 1_000  # different numbers are ids only from here on: smaller ones may be scores
_NUMBER_CELL = re.compile(r"[-+]?\d*[.,]?\d+(e[-+]?\d+)?", re.IGNORECASE)
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


_KIND_TEXTS = {
    CellKind.NUMBER: Message("only_numbers", "only numbers"),
    CellKind.NUMBERING: Message("only_numbers", "only numbers"),
    CellKind.CODE: Message("only_codes", "only codes"),
    CellKind.EMPTY: Message("no_text_at_all", "no text"),
}


@dataclass(frozen=True)
class Hints:
    """Hints about the columns of a table."""

    named: tuple[tuple[str, str], ...] = ()  # the user's (role, column), a column by its name or number
    languages: tuple[str, str] = ("", "")  # codes of the checkpoint's source and target; "" = unknown
    swap: bool = False  # True: without names and languages, the first of two texts is the reference

    @property
    def names(self) -> tuple[str, ...]:
        """The names of columns that the user gave, without numbers."""
        return tuple(name for _, name in self.named if not name.isdecimal())


@dataclass(frozen=True)
class Columns:
    """The indices of the columns of each role. A column without a role is not used."""

    source: int
    references: tuple[int, ...]
    outputs: tuple[int, ...] = ()
    scores: tuple[int, ...] = ()

    def role(self, index: int) -> str:
        """The role of a column; "" for one that is left out."""
        indices_of = {
            SOURCE: (self.source,),
            REFERENCE: self.references,
            OUTPUT: self.outputs,
            SCORE: self.scores,
        }
        return next((role for role, indices in indices_of.items() if index in indices), "")


def parse_columns(text: str) -> tuple[tuple[str, str], ...]:
    """Roles and columns of "source=NAME,reference=NAME"; "target" is a reference. Raises DataError."""
    named_columns = []
    for part in re.split(r",(?=\w+=)", text):
        role, _, name = part.partition("=")
        role = REFERENCE if role.strip() == "target" else role.strip()
        if role not in ROLES or not name.strip():
            raise DataError(not_one_of("columns", [f"{role}=NAME" for role in ROLES], part))
        named_columns.append((role, name.strip()))
    return tuple(named_columns)


def columns_of(table: TextTable, hints: Hints | None = None) -> Columns:
    """The role of each column.

    Columns that the user names come first, then a column named exactly source, target or reference, then
    other names that say so, then the languages of the checkpoint, then texts by their position. Numbers and
    codes are texts only if the user says so. Raises DataError if there are no two columns of texts.
    """
    hints = hints or Hints()
    named_columns = {role: _named_columns(table, hints, role) for role in ROLES}
    kinds = [_kind(table, index) for index in range(len(table.columns))]
    unnamed = set(range(len(kinds))) - {index for indices in named_columns.values() for index in indices}
    texts = [index for index in sorted(unnamed) if kinds[index] is CellKind.TEXT]
    sources = named_columns[SOURCE] or _by_name(table, kinds, unnamed, SOURCE, SOURCES)[:1]
    references = named_columns[REFERENCE] or _by_name(table, kinds, unnamed, REFERENCE, REFERENCES)
    if not sources and not references:
        sources, references = _by_language(table, texts, hints)
    unassigned = (
        index for index in texts if index not in (*sources, *references) and not _is_score(table, index)
    )
    sources = sources or _first_of(unassigned)
    references = references or _first_of(unassigned)
    if not sources or not references:
        raise DataError(_too_few(table, kinds))
    used_indices = {*sources, *references}
    remaining = [index for index in sorted(unnamed) if index not in used_indices]
    scores = [
        p
        for p in remaining
        if (_is_score(table, p) and kinds[p] is not CellKind.EMPTY) or kinds[p] is CellKind.NUMBER
    ]
    outputs = [
        p for p in remaining if p not in scores and kinds[p] is CellKind.TEXT and not _is_note(table, p)
    ]
    return Columns(
        sources[0],
        tuple(references),
        named_columns[OUTPUT] or tuple(outputs),
        named_columns[SCORE] or tuple(scores),
    )


def swapped_columns(table: TextTable, columns: Columns, hints: Hints) -> Message | None:
    """A sentence where the texts of source and reference seem to be in each other's language.

    The languages are those that the columns are named after, or else those of the checkpoint.
    """
    pair = columns.source, columns.references[0]
    names = [table.columns[index] for index in pair]
    expected = tuple(
        headers.language(name) or headers.language(code)
        for name, code in zip(names, hints.languages, strict=True)
    )
    source, reference = ([row[index] for row in table.rows[:_EXAMINED_ROWS]] for index in pair)
    if column_direction(source, reference, (expected[0], expected[1])) >= 0:
        return None
    return Message(
        "columns_seem_swapped",
        "The texts of column {source} look like the language of {reference}, and the other way round: "
        "check which column is the source.",
        source=repr(names[0]),
        reference=repr(names[1]),
    )


def _named_columns(table: TextTable, hints: Hints, role: str) -> tuple[int, ...]:
    """The indices of the columns that the user named for a role. Raises DataError."""
    names = [name for named_role, name in hints.named if named_role == role]
    are_numbers = [
        name not in table.columns and name in map(str, range(1, len(table.columns) + 1)) for name in names
    ]
    return tuple(
        int(name) - 1 if is_number else table.column(name)
        for name, is_number in zip(names, are_numbers, strict=True)
    )


def _by_name(
    table: TextTable, kinds: Sequence[CellKind], unnamed: set[int], role: str, role_words: Sequence[str]
) -> tuple[int, ...]:
    """The columns whose names say a role. Raises DataError if a column of exactly that name has no texts."""
    parts = [headers.words(name) for name in table.columns]
    words_of = [[word for word in part if not word.isdecimal()] for part in parts]
    exact_names = [
        index
        for index in sorted(unnamed)
        if len(words_of[index]) == 1 and words_of[index][0] in _ROLE_NAMES[role]
    ]
    for index in exact_names:
        if kinds[index] in _KIND_TEXTS and kinds[index] is not CellKind.EMPTY:
            raise DataError(_no_texts(table.columns[index], kinds[index]))
    return tuple(exact_names) or tuple(
        index
        for index in sorted(unnamed)
        if words_of[index]
        and words_of[index][0] in role_words
        and kinds[index] in (CellKind.TEXT, CellKind.EMPTY)
    )


def _by_language(
    table: TextTable, texts: Sequence[int], hints: Hints
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Source and reference by the languages that a checkpoint reads and writes, or else by position."""
    by_language = {headers.language(table.columns[index]): index for index in reversed(texts)}
    first, second = (by_language.get(headers.language(code)) if code else None for code in hints.languages)
    if first is not None and second is not None:
        return (first,), (second,)
    if len(texts) < 2:
        return (), ()
    first_text, second_text = texts[:2]
    cells = [[row[index] for row in table.rows[:_EXAMINED_ROWS]] for index in (first_text, second_text)]
    direction = column_direction(cells[0], cells[1], hints.languages) or (-1 if hints.swap else 1)
    return ((first_text,), (second_text,)) if direction > 0 else ((second_text,), (first_text,))


def _kind(table: TextTable, index: int) -> CellKind:
    """The kind of a column, by its first rows and its name."""
    cells = [cell for row in table.rows[:_EXAMINED_ROWS] if (cell := row[index].strip())]
    if not cells:
        return CellKind.EMPTY
    parts = headers.words(table.columns[index])
    outer_words = {*parts[:1], *parts[-1:]}
    if all(map(_NUMBER_CELL.fullmatch, cells)):
        numbering = outer_words & _CODE_NAMES or table.is_unnamed(index) or _numbers_rows(cells)
        return CellKind.NUMBERING if numbering else CellKind.NUMBER
    if all(map(_ATTRIBUTION.search, cells)):
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
    return CellKind.TEXT


def _numbers_rows(cells: Sequence[str]) -> bool:
    """Whether whole numbers count the rows, or are all different and too large for scores."""
    if not all(map(str.isdecimal, cells)):
        return False
    numbers = list(map(int, cells))
    counts = len(numbers) > 1 and all(b == a + 1 for a, b in pairwise(numbers))
    return counts or (len(set(numbers)) == len(numbers) and min(numbers) >= _MIN_ID)


def _is_score(table: TextTable, index: int) -> bool:
    return headers.words(table.columns[index])[:1] in [[name] for name in SCORES]


def _is_note(table: TextTable, index: int) -> bool:
    """Whether a column of texts is not a system's output but another language, source, remark or label."""
    name = table.columns[index]
    parts = headers.words(name)
    if (
        {*parts[:1], *parts[-1:]} & _NOTE_NAMES
        or (parts[:1] and parts[0] in SOURCES)
        or headers.language(name)
    ):
        return True
    cells = [row[index].strip() for row in table.rows[:_EXAMINED_ROWS]]
    return len(cells) >= 10 and 5 * len(set(cells)) <= len(cells) and all(len(c.split()) < 2 for c in cells)


def _first_of(indices: Iterable[int]) -> tuple[int, ...]:
    return next(((index,) for index in indices), ())


def _no_texts(name: str, kind: CellKind) -> Message:
    return Message(
        "column_without_texts",
        "column {name} holds {what}: say which columns hold the texts",
        name=repr(name),
        what=_KIND_TEXTS[kind],
    )


def _too_few(table: TextTable, kinds: Sequence[CellKind]) -> Message:
    """The sentence for a table that has no two columns of texts."""
    for name, kind in zip(table.columns, kinds, strict=True):
        if kind in _KIND_TEXTS:
            return _no_texts(name, kind)
    return Message(
        "no_columns_of_texts",
        "there are no two columns of texts: put the source into the first and the reference into the second",
    )
