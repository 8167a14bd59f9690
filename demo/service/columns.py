"""What the columns of a visitor's table are: shown before work starts, and changed if they say so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from demo.errors import sentence
from demo.i18n import later, say
from demo.requests.checks import RequestError, check_choice
from models.corpus.files.columns import OUTPUT, REFERENCE, ROLES, SCORE, SOURCE, Columns, Hints, columns_of
from models.corpus.files.reading import SHOWN_ROWS
from models.corpus.files.table import MAX_COLUMNS, TextTable
from models.corpus.pairs import DataError, cleaned

LEFT_OUT = ""
CALLED = {
    SOURCE: later("source"),
    REFERENCE: later("reference"),
    OUTPUT: later("output"),
    SCORE: later("score"),
    LEFT_OUT: later("left out"),
}
_CHARACTERS = 120  # of a cell


@dataclass(frozen=True)
class ChosenColumns:
    """What a visitor says of the columns of a table that has these names."""

    names: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()  # of each, or LEFT_OUT

    @classmethod
    def of(cls, raw: object) -> ChosenColumns:
        """From the value of a `ColumnsView`; without names if nothing was changed. Raises RequestError."""
        if not isinstance(raw, Mapping) or raw.get("chosen") is not True:
            return cls()
        names, roles = raw.get("names"), raw.get("roles")
        if not isinstance(names, list) or not isinstance(roles, list) or len(names) != len(roles):
            raise RequestError(
                "columns_not_paired", "The columns must be a list of names and a list as long of roles."
            )
        for role in roles[:MAX_COLUMNS]:
            check_choice(later("The role of a column"), role, (*ROLES, LEFT_OUT))
        return cls(tuple(map(str, names[:MAX_COLUMNS])), tuple(roles[:MAX_COLUMNS]))

    def columns(self, table: TextTable, hints: Hints) -> Columns:
        """Those of a table: as chosen if it has these names, or else as understood. Raises DataError."""
        if self.names != table.columns:
            return columns_of(table, hints)
        source, references, outputs, scores = (
            tuple(place for place, each in enumerate(self.roles) if each == role) for role in ROLES
        )
        if not source or not references:
            raise DataError(
                "columns_needed", "choose a column for the source and one for the reference, above the rows"
            )
        return Columns(source[0], references, outputs, scores)


@dataclass(frozen=True)
class ShownColumns:
    """A table as the page shows it: its columns, and the first rows."""

    names: tuple[str, ...]
    roles: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    called: Mapping[str, str]  # what each role is called
    chosen: bool  # by the visitor
    problem: str = ""

    @classmethod
    def of(
        cls, table: TextTable, chosen: ChosenColumns, hints: Hints, roles: tuple[str, ...] = ROLES
    ) -> ShownColumns:
        """What is understood, or what is wrong with it; `roles` are those that matter here."""
        problem = ""
        is_chosen = chosen.names == table.columns
        taken = chosen.roles if is_chosen else (LEFT_OUT,) * len(table.columns)
        try:
            columns = chosen.columns(table, hints)
            taken = tuple(map(columns.role, range(len(table.columns))))
        except DataError as error:
            problem = sentence(error)
        return cls(
            table.columns,
            tuple(role if role in roles else LEFT_OUT for role in taken),
            tuple(tuple(cleaned(cell)[:_CHARACTERS] for cell in row) for row in table.rows[:SHOWN_ROWS]),
            {role: say(CALLED[role]) for role in (*roles, LEFT_OUT)},
            is_chosen,
            problem,
        )

    @classmethod
    def without_table(cls, problem: str) -> ShownColumns:
        """What is wrong with a file that cannot be read."""
        return cls((), (), (), {}, False, problem)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON types."""
        return asdict(self)
