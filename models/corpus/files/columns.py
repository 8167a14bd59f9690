"""The roles of a table's columns, from the user's words, the columns' names, content and position."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from models.corpus.files import headers
from models.corpus.files.column_kinds import REFERENCES, SOURCES, CellKind, Column
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
_SCRIPTS = {
    "zh": "\u4e00-\u9fff",
    "ja": "\u3040-\u30ff",
    "ko": "\uac00-\ud7af",
    "ru": "\u0400-\u04ff",
    "uk": "\u0400-\u04ff",
    "el": "\u0370-\u03ff",
    "ar": "\u0600-\u06ff",
    "he": "\u0590-\u05ff",
    "hi": "\u0900-\u097f",
    "th": "\u0e00-\u0e7f",
}
_FREQUENT = {
    "en": "the is are was were i you we they it my your this that of and to in what where who how not don't",
    "es": "el la los las es está son yo tú mi tu su que de del y en por para qué quién cómo una un al lo se",
    "fr": "le la les est sont je tu il elle nous vous mon ma que qui de du des et en une un pas ne ce l'",
    "de": "der die das ist sind ich du er sie wir ihr mein nicht und in zu den dem ein eine was wer wie",
}
_PATTERNS = {
    **{code: re.compile(f"[{characters}]") for code, characters in _SCRIPTS.items()},
    **{
        code: re.compile(rf"(?<!\w)(?:{'|'.join(texts.split())})(?!\w)", re.IGNORECASE)
        for code, texts in _FREQUENT.items()
    },
}
_MIN_VOTE_DIFFERENCE = 0.5  # a smaller difference decides nothing; shares of two columns are added, so 0 to 2


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
    columns = [Column(table, index) for index in range(len(table.columns))]
    named = {role: [columns[index] for index in _named_columns(table, hints, role)] for role in ROLES}
    unnamed = [column for column in columns if not any(column in group for group in named.values())]
    texts = [column for column in unnamed if column.kind is CellKind.TEXT]
    sources = named[SOURCE] or _by_name(unnamed, SOURCE, SOURCES)[:1]
    references = named[REFERENCE] or _by_name(unnamed, REFERENCE, REFERENCES)
    if not sources and not named[REFERENCE] and all(column in references for column in texts):
        references = []  # "translation.es" and "translation.en" say nothing but their languages
    candidates = sorted(
        (column for column in texts if not column.is_score),
        key=lambda column: column.is_note or column.is_constant or column.is_label,
    )
    no_outputs = [column for column in candidates if not column.is_named_output]
    if not sources and not references:
        sources, references = _by_language(no_outputs, hints)
    sources = sources or [column for column in no_outputs if column not in references][:1]
    references = (
        references
        or [
            column
            for column in candidates
            if column not in sources and (column in no_outputs or column.words[0] == OUTPUT)
        ][:1]
    )
    if not sources or not references:
        raise DataError(_too_few(columns, SOURCE if not sources else REFERENCE))
    remaining = [column for column in unnamed if column not in sources and column not in references]
    scores = [
        column
        for column in remaining
        if (column.is_score and column.kind is not CellKind.EMPTY) or column.kind is CellKind.NUMBER
    ]
    outputs = [
        column
        for column in remaining
        if column not in scores
        and column.kind is CellKind.TEXT
        and column.is_output(references[0])
        and (column.has_letters or not references[0].has_letters)
    ]
    return Columns(
        sources[0].index,
        _indices(references),
        _indices(named[OUTPUT] or outputs),
        _indices(named[SCORE] or scores),
    )


def _indices(columns: Sequence[Column]) -> tuple[int, ...]:
    return tuple(column.index for column in columns)


def swapped_columns(table: TextTable, columns: Columns, hints: Hints) -> Message | None:
    """A sentence where the texts of source and reference seem to be in each other's language.

    The languages are those that the columns are named after, or else those of the checkpoint.
    """
    source, reference = (Column(table, index) for index in (columns.source, columns.references[0]))
    first, second = (
        headers.language(column.name) or headers.language(code)
        for column, code in zip((source, reference), hints.languages, strict=True)
    )
    if column_direction(source.texts, reference.texts, (first, second)) >= 0:
        return None
    return Message(
        "columns_seem_swapped",
        "The texts of column {source} look like the language of {reference}, and the other way round: "
        "check which column is the source.",
        source=repr(source.name),
        reference=repr(reference.name),
    )


def _named_columns(table: TextTable, hints: Hints, role: str) -> list[int]:
    """The indices of the columns that the user named for a role. Raises DataError."""
    numbers = {str(index + 1): index for index in range(len(table.columns))}
    names = [name for named_role, name in hints.named if named_role == role]
    return [
        numbers[name] if name in numbers and name not in table.columns else table.column(name)
        for name in names
    ]


def _by_name(unnamed: Sequence[Column], role: str, role_words: Collection[str]) -> list[Column]:
    """The columns whose names say a role. Raises DataError if a column of exactly that name has no texts."""
    words = {column: [word for word in column.words if not word.isdecimal()] for column in unnamed}
    exact_names = [
        column for column in unnamed if len(words[column]) == 1 and words[column][0] in _ROLE_NAMES[role]
    ]
    for column in exact_names:
        if column.kind in _KIND_TEXTS and column.kind is not CellKind.EMPTY:
            raise DataError(_no_texts(column))
    longer_names = [
        column
        for column in unnamed
        if column not in exact_names
        and words[column]
        and words[column][0] in role_words
        and column.kind in (CellKind.TEXT, CellKind.EMPTY)
    ]
    if any(column.kind is CellKind.TEXT for column in longer_names):
        # A column "source" may name the origin of all rows.
        exact_names = [column for column in exact_names if not column.is_constant]
    return exact_names or longer_names


def _by_language(texts: Sequence[Column], hints: Hints) -> tuple[list[Column], list[Column]]:
    """Source and reference by the languages that a checkpoint reads and writes, or else by position."""
    by_language = {headers.language(column.name): column for column in reversed(texts)}
    first, second = (by_language.get(headers.language(code)) if code else None for code in hints.languages)
    if first is not None and second is not None:
        return [first], [second]
    if len(texts) < 2:
        return [], []
    first, second = texts[:2]
    direction = column_direction(first.texts, second.texts, hints.languages) or (-1 if hints.swap else 1)
    return ([first], [second]) if direction > 0 else ([second], [first])


def _no_texts(column: Column) -> Message:
    return Message(
        "column_without_texts",
        "column {name} holds {what}: say which columns hold the texts",
        name=repr(column.name),
        what=_KIND_TEXTS[column.kind],
    )


def _too_few(columns: Sequence[Column], role: str) -> Message:
    """The sentence for a table that has no column of texts for a role."""
    for column in columns:
        if column.kind is CellKind.TEXT and column.is_named_output:
            return Message(
                "only_outputs_left",
                "column {name} is named as a system's output, so no column is left for the {role}: add one, "
                "or say which columns hold the texts",
                name=repr(column.name),
                role=_ROLE_WORDS[role],
            )
    for column in columns:
        if column.kind in _KIND_TEXTS:
            return _no_texts(column)
    return Message(
        "no_columns_of_texts",
        "there are no two columns of texts: put the source into the first and the reference into the second",
    )


def share_in(language: str, texts: Sequence[str]) -> float:
    """The share of the texts that have features of a language; 0 where no features are known."""
    pattern = _PATTERNS.get(language)
    return sum(bool(pattern.search(text)) for text in texts) / len(texts) if pattern and texts else 0.0


def column_direction(first: Sequence[str], second: Sequence[str], languages: tuple[str, str]) -> int:
    """1 if the first texts are in the first language, -1 if they are in the second, 0 if that is unclear."""
    source, target = languages
    as_given = share_in(source, first) + share_in(target, second)
    reversed_ = share_in(target, first) + share_in(source, second)
    difference = as_given - reversed_
    return 0 if abs(difference) < _MIN_VOTE_DIFFERENCE else 1 if difference > 0 else -1
