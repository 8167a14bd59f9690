"""The roles of a table's columns: from what the user says, names, content and position."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from models.corpus.files import headers
from models.corpus.files.languages import order
from models.corpus.files.table import TextTable
from models.corpus.pairs import DataError
from models.errors import Message, not_one_of

SOURCE, REFERENCE, OUTPUT, SCORE = "source", "reference", "output", "score"
ROLES = (SOURCE, REFERENCE, OUTPUT, SCORE)
SOURCES = ("source", "src", "input", "question", "prompt")
REFERENCES = ("reference", "ref", "target", "trg", "tgt", "translation", "answer")
SCORES = ("score", "comet", "bleurt", "metricx", "xcomet", "quality")
_EXACT = {SOURCE: ("source",), REFERENCE: ("reference", "target")}
# Names of columns that hold something about a text. They stand first or last in a name.
_CODES = frozenset(
    re.findall(
        r"\w+",
        """lang language locale code id idx uid uuid key index unnamed line nr number url link domain""",
    )
)
_ABOUT = _CODES | frozenset(
    re.findall(r"\w+", "license licence attribution split genre category topic notes note comment file")
)
_LOOKED_AT = 200  # rows
_MIN_ID = 1_000  # of numbers that are all different: smaller ones may be scores
_NUMBER = re.compile(r"[-+]?\d*[.,]?\d+(e[-+]?\d+)?", re.IGNORECASE)
_IDENTIFIER = re.compile(r"[A-Za-z_]+[-_.:#/]?\d+([-_.:#/]\d+)*|https?://\S+|[0-9a-f-]{16,}")
_ATTRIBUTION = re.compile(r"CC[- ]BY|tatoeba\.org", re.IGNORECASE)  # as manythings.org has it in each row


class CellKind(Enum):
    """The kind of content that the cells of a column have."""

    TEXT = "texts"
    NUMBER = "numbers"
    NUMBERING = "the numbers of rows"
    CODE = "codes"
    ABOUT = "notes"
    EMPTY = "nothing"


_CALLED = {
    CellKind.NUMBER: Message("only_numbers", "only numbers"),
    CellKind.NUMBERING: Message("only_numbers", "only numbers"),
    CellKind.CODE: Message("only_codes", "only codes"),
    CellKind.EMPTY: Message("no_text_at_all", "no text"),
}


@dataclass(frozen=True)
class Hints:
    """Hints about the columns of a table."""

    named: tuple[tuple[str, str], ...] = ()  # role and name or number of a column, as the user says
    languages: tuple[str, str] = ("", "")  # codes of what a checkpoint reads and writes; "" = unknown
    swap: bool = False  # True: without names and languages, the first of two texts is the reference

    @property
    def names(self) -> tuple[str, ...]:
        """All names that the user gave; numbers stand for positions."""
        return tuple(name for _, name in self.named if not name.isdecimal())


@dataclass(frozen=True)
class Columns:
    """The columns of each role, by index; a column without a role is left out."""

    source: int
    references: tuple[int, ...]
    outputs: tuple[int, ...] = ()
    scores: tuple[int, ...] = ()

    def role(self, index: int) -> str:
        """The role of a column; "" for one that is left out."""
        places = {
            SOURCE: (self.source,),
            REFERENCE: self.references,
            OUTPUT: self.outputs,
            SCORE: self.scores,
        }
        return next((role for role, held in places.items() if index in held), "")


def parse_columns(text: str) -> tuple[tuple[str, str], ...]:
    """Roles and columns of "source=NAME,reference=NAME"; "target" is a reference. Raises DataError."""
    named = []
    for part in re.split(r",(?=\w+=)", text):
        role, _, name = part.partition("=")
        role = REFERENCE if role.strip() == "target" else role.strip()
        if role not in ROLES or not name.strip():
            raise DataError(not_one_of("columns", [f"{role}=NAME" for role in ROLES], part))
        named.append((role, name.strip()))
    return tuple(named)


def columns_of(table: TextTable, hints: Hints | None = None) -> Columns:
    """The role of each column.

    What the user names comes first, then a column named exactly source, target or reference, then other names
    that say so, then the languages of the checkpoint, then texts by their position. Numbers and codes
    are texts only if the user says so. Raises DataError.
    """
    hints = hints or Hints()
    named = {role: _named(table, hints, role) for role in ROLES}
    kinds = [_kind(table, index) for index in range(len(table.columns))]
    free = set(range(len(kinds))) - {index for places in named.values() for index in places}
    texts = [index for index in sorted(free) if kinds[index] is CellKind.TEXT]
    sources = named[SOURCE] or _by_name(table, kinds, free, SOURCE, SOURCES)[:1]
    references = named[REFERENCE] or _by_name(table, kinds, free, REFERENCE, REFERENCES)
    if not sources and not references:
        sources, references = _by_language(table, texts, hints)
    rest = (index for index in texts if index not in (*sources, *references) and not _is_score(table, index))
    sources = sources or _next(rest)
    references = references or _next(rest)
    if not sources or not references:
        raise DataError(_too_few(table, kinds))
    used = {*sources, *references}
    others = [index for index in sorted(free) if index not in used]
    scores = [
        p
        for p in others
        if (_is_score(table, p) and kinds[p] is not CellKind.EMPTY) or kinds[p] is CellKind.NUMBER
    ]
    outputs = [p for p in others if p not in scores and kinds[p] is CellKind.TEXT and not _is_aside(table, p)]
    return Columns(
        sources[0],
        tuple(references),
        named[OUTPUT] or tuple(outputs),
        named[SCORE] or tuple(scores),
    )


def _named(table: TextTable, hints: Hints, role: str) -> tuple[int, ...]:
    """The indices of the columns that the user named for a role. Raises DataError."""
    names = [name for named_role, name in hints.named if named_role == role]
    is_place = [
        name not in table.columns and name in map(str, range(1, len(table.columns) + 1)) for name in names
    ]
    return tuple(
        int(name) - 1 if by_place else table.column(name)
        for name, by_place in zip(names, is_place, strict=True)
    )


def _by_name(
    table: TextTable, kinds: Sequence[CellKind], free: set[int], role: str, usual: Sequence[str]
) -> tuple[int, ...]:
    """The columns whose names say a role. Raises DataError if one of exactly that name holds no texts."""
    parts = [headers.words(name) for name in table.columns]
    words_of = [[word for word in part if not word.isdecimal()] for part in parts]
    exact = [
        index for index in sorted(free) if len(words_of[index]) == 1 and words_of[index][0] in _EXACT[role]
    ]
    for index in exact:
        if kinds[index] in _CALLED and kinds[index] is not CellKind.EMPTY:
            raise DataError(_no_texts(table.columns[index], kinds[index]))
    return tuple(exact) or tuple(
        index
        for index in sorted(free)
        if words_of[index] and words_of[index][0] in usual and kinds[index] in (CellKind.TEXT, CellKind.EMPTY)
    )


def _by_language(
    table: TextTable, texts: Sequence[int], hints: Hints
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Source and reference by the languages that a checkpoint reads and writes, or else by position."""
    of = {headers.language(table.columns[index]): index for index in reversed(texts)}
    first, second = (of.get(headers.language(code)) if code else None for code in hints.languages)
    if first is not None and second is not None:
        return (first,), (second,)
    if len(texts) < 2:
        return (), ()
    one, other = texts[:2]
    cells = [[row[index] for row in table.rows[:_LOOKED_AT]] for index in (one, other)]
    direction = order(cells[0], cells[1], hints.languages) or (-1 if hints.swap else 1)
    return ((one,), (other,)) if direction > 0 else ((other,), (one,))


def _kind(table: TextTable, index: int) -> CellKind:
    """The kind of a column, by its first rows and its name."""
    cells = [cell for row in table.rows[:_LOOKED_AT] if (cell := row[index].strip())]
    if not cells:
        return CellKind.EMPTY
    parts = headers.words(table.columns[index])
    ends = {*parts[:1], *parts[-1:]}
    if all(map(_NUMBER.fullmatch, cells)):
        numbering = ends & _CODES or table.is_unnamed(index) or _numbers_rows(cells)
        return CellKind.NUMBERING if numbering else CellKind.NUMBER
    if all(map(_ATTRIBUTION.search, cells)):
        return CellKind.ABOUT
    single = all(len(cell.split()) == 1 for cell in cells)
    if single and (ends & _CODES or (len(table.columns) > 2 and all(map(_IDENTIFIER.fullmatch, cells)))):
        return CellKind.CODE
    repeated = len(set(cells)) == 1 and (len(cells) > 2 or len(table.columns) > 2)
    few = len(table.columns) > 2 and 3 * len(set(cells)) <= len(cells)
    if (repeated or few) and all(map(headers.is_language_code, cells)):
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


def _is_aside(table: TextTable, index: int) -> bool:
    """Whether a column of texts is not a system's output but another language, source, remark or label."""
    name = table.columns[index]
    parts = headers.words(name)
    if {*parts[:1], *parts[-1:]} & _ABOUT or (parts[:1] and parts[0] in SOURCES) or headers.language(name):
        return True
    cells = [row[index].strip() for row in table.rows[:_LOOKED_AT]]
    return len(cells) >= 10 and 5 * len(set(cells)) <= len(cells) and all(len(c.split()) < 2 for c in cells)


def _next(places: Iterable[int]) -> tuple[int, ...]:
    return next(((index,) for index in places), ())


def _no_texts(name: str, kind: CellKind) -> Message:
    return Message(
        "column_without_texts",
        "column {name} holds {what}: say which columns hold the texts",
        name=repr(name),
        what=_CALLED[kind],
    )


def _too_few(table: TextTable, kinds: Sequence[CellKind]) -> Message:
    """The sentence for a table that has no two columns of texts."""
    for name, kind in zip(table.columns, kinds, strict=True):
        if kind in _CALLED:
            return _no_texts(name, kind)
    return Message(
        "no_columns_of_texts",
        "there are no two columns of texts: put the source into the first and the reference into the second",
    )
