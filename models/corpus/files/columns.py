"""The roles of a table's columns, from the user's words, the columns' names, content and position."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from models.corpus.files import headers
from models.corpus.files.column_kinds import (
    EXAMINED_ROWS,
    REFERENCES,
    SOURCES,
    CellKind,
    has_letters,
    is_constant,
    is_label,
    is_named_output,
    is_note,
    is_output,
    is_score,
    kind_of,
)
from models.corpus.files.languages import column_direction
from models.corpus.files.table import TextTable
from models.corpus.pairs import DataError
from models.errors import Message, not_one_of

SOURCE, REFERENCE, OUTPUT, SCORE = "source", "reference", "output", "score"
ROLES = (SOURCE, REFERENCE, OUTPUT, SCORE)
_ROLE_NAMES = {SOURCE: ("source",), REFERENCE: ("reference", "target")}
_ROLE_WORDS = {SOURCE: Message("role_source", "source"), REFERENCE: Message("role_reference", "reference")}
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


NO_HINTS = Hints()


@dataclass(frozen=True)
class Columns:
    """The indices of the columns of each role. A column without a role is not used."""

    source: int
    references: tuple[int, ...]
    outputs: tuple[int, ...] = ()
    scores: tuple[int, ...] = ()

    def role(self, index: int) -> str:
        """The role of a column; "" for one that is left out."""
        roles = dict.fromkeys(self.scores, SCORE) | dict.fromkeys(self.outputs, OUTPUT)
        roles |= {**dict.fromkeys(self.references, REFERENCE), self.source: SOURCE}
        return roles.get(index, "")


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


def columns_of(table: TextTable, hints: Hints = NO_HINTS) -> Columns:
    """The role of each column.

    Columns that the user names come first, then a column named exactly source, target or reference, then
    other names that say so, then the languages of the checkpoint, then texts by their position. Numbers and
    codes are texts only if the user says so. Raises DataError if there are no two columns of texts.
    """
    named_columns = {role: _named_columns(table, hints, role) for role in ROLES}
    kinds = [kind_of(table, index) for index in range(len(table.columns))]
    unnamed = set(range(len(kinds))) - {index for indices in named_columns.values() for index in indices}
    texts = [index for index in sorted(unnamed) if kinds[index] is CellKind.TEXT]
    sources = named_columns[SOURCE] or _by_name(table, kinds, unnamed, SOURCE, SOURCES)[:1]
    references = named_columns[REFERENCE] or _by_name(table, kinds, unnamed, REFERENCE, REFERENCES)
    if not sources and not named_columns[REFERENCE] and set(texts) <= set(references):
        references = ()  # "translation.es" and "translation.en" say nothing but their languages
    candidates = sorted(
        (index for index in texts if not is_score(table, index)),
        key=lambda index: is_note(table, index) or is_constant(table, index) or is_label(table, index),
    )
    no_outputs = [index for index in candidates if not is_named_output(table, index)]
    if not sources and not references:
        sources, references = _by_language(table, no_outputs, hints)
    sources = sources or _first_of(index for index in no_outputs if index not in references)
    references = references or _first_of(
        index
        for index in candidates
        if index not in sources and (index in no_outputs or headers.words(table.columns[index])[0] == OUTPUT)
    )
    if not sources or not references:
        raise DataError(_too_few(table, kinds, SOURCE if not sources else REFERENCE))
    remaining = sorted(unnamed - {*sources, *references})
    scores = [
        index
        for index in remaining
        if (is_score(table, index) and kinds[index] is not CellKind.EMPTY) or kinds[index] is CellKind.NUMBER
    ]
    of_letters = has_letters(table, references[0])
    outputs = [
        index
        for index in remaining
        if index not in scores
        and kinds[index] is CellKind.TEXT
        and is_output(table, index, references[0])
        and (has_letters(table, index) or not of_letters)
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
    source, reference = ([row[index] for row in table.rows[:EXAMINED_ROWS]] for index in pair)
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
    table: TextTable, kinds: Sequence[CellKind], unnamed: set[int], role: str, role_words: Collection[str]
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
    longer_names = [
        index
        for index in sorted(unnamed)
        if index not in exact_names
        and words_of[index]
        and words_of[index][0] in role_words
        and kinds[index] in (CellKind.TEXT, CellKind.EMPTY)
    ]
    if any(kinds[index] is CellKind.TEXT for index in longer_names):
        # A column "source" may name the origin of all rows.
        exact_names = [index for index in exact_names if not is_constant(table, index)]
    return tuple(exact_names) or tuple(longer_names)


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
    cells = [[row[index] for row in table.rows[:EXAMINED_ROWS]] for index in (first_text, second_text)]
    direction = column_direction(cells[0], cells[1], hints.languages) or (-1 if hints.swap else 1)
    return ((first_text,), (second_text,)) if direction > 0 else ((second_text,), (first_text,))


def _first_of(indices: Iterable[int]) -> tuple[int, ...]:
    return next(((index,) for index in indices), ())


def _no_texts(name: str, kind: CellKind) -> Message:
    return Message(
        "column_without_texts",
        "column {name} holds {what}: say which columns hold the texts",
        name=repr(name),
        what=_KIND_TEXTS[kind],
    )


def _too_few(table: TextTable, kinds: Sequence[CellKind], role: str) -> Message:
    """The sentence for a table that has no column of texts for a role."""
    for index, (name, kind) in enumerate(zip(table.columns, kinds, strict=True)):
        if kind is CellKind.TEXT and is_named_output(table, index):
            return Message(
                "only_outputs_left",
                "column {name} is named as a system's output, so no column is left for the {role}: add one, "
                "or say which columns hold the texts",
                name=repr(name),
                role=_ROLE_WORDS[role],
            )
    for name, kind in zip(table.columns, kinds, strict=True):
        if kind in _KIND_TEXTS:
            return _no_texts(name, kind)
    return Message(
        "no_columns_of_texts",
        "there are no two columns of texts: put the source into the first and the reference into the second",
    )
