"""The columns of a visitor's table: detected, shown before work starts, and changed on request.

Root element: `div.cl`; `data-state` is empty, table or problem; each column heading holds a `select`;
a checkbox says whether the first line names the columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from demo.i18n import later, message_text, say
from demo.widgets.view.view import View, with_colours
from demo.work.errors import sentence
from demo.work.requests.checks import RequestError, check_choice
from models.corpus.files.columns import (
    OUTPUT,
    REFERENCE,
    ROLES,
    SCORE,
    SOURCE,
    Columns,
    Hints,
    columns_of,
    swapped_columns,
)
from models.corpus.files.reading import SHOWN_ROWS
from models.corpus.files.table import MAX_COLUMNS, TextTable
from models.corpus.pairs import DataError, clean_text

TEMPLATE = """
<div class="cl" data-state="empty">
  <p class="cl-problem" role="status"></p>
  <label class="cl-header" hidden><input type="checkbox"> <span></span></label>
  <div class="cl-scroll" tabindex="0" role="region">
    <table><thead><tr></tr></thead><tbody></tbody></table>
  </div>
</div>
"""


class ColumnsView(View):
    """Shows a table's columns; hidden until there is a table. Event `chosen`: the reader changes a role.

    The value from a browser is checked by `ColumnChoice.parse`.
    """

    def __init__(self, **settings: Any) -> None:
        style = with_colours(".cl", "widgets/columns/view.css")
        super().__init__("widgets/columns", template=TEMPLATE, style=style, events=("chosen",), **settings)

    def postprocess(self, value: dict[str, Any] | None) -> dict[str, Any] | None:
        """Add the labels to `columns_to_show`, or to the `problem` of a file that cannot be read."""
        labels = {"label": say("What each column is"), "heading": say("The first line names the columns")}
        return None if value is None else {**value, **labels}


LEFT_OUT = ""
ROLE_LABELS = {
    SOURCE: later("source"),
    REFERENCE: later("reference"),
    OUTPUT: later("output"),
    SCORE: later("score"),
    LEFT_OUT: later("left out"),
}
_CHARACTERS = 120  # characters of a cell


@dataclass(frozen=True)
class ColumnChoice:
    """A visitor's choice for a table: the role of each column, and whether the first line holds names."""

    names: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()  # the role of each column, or LEFT_OUT
    first_line: tuple[str, ...] = ()  # the cells of the file's first line, as shown
    header: bool | None = None  # None: as detected

    @classmethod
    def parse(cls, raw: object) -> ColumnChoice:
        """Read the value of a `ColumnsView`; without names if nothing was changed. Raises RequestError."""
        if not isinstance(raw, Mapping) or raw.get("chosen") is not True:
            return cls()
        names, roles, line = raw.get("names"), raw.get("roles"), raw.get("first_line", [])
        if not (isinstance(names, list) and isinstance(roles, list) and isinstance(line, list)) or (
            len(names) != len(roles)
        ):
            raise RequestError(
                "columns_not_paired", "The columns must be a list of names and a list of as many roles."
            )
        for role in roles[:MAX_COLUMNS]:
            check_choice(later("The role of a column"), role, (*ROLES, LEFT_OUT))
        names, line = (tuple(map(str, texts[:MAX_COLUMNS])) for texts in (names, line))
        header = raw.get("header")
        return cls(names, tuple(roles[:MAX_COLUMNS]), line, header if isinstance(header, bool) else None)

    def fit(self, table: TextTable) -> bool:
        """Whether the choice was made for this table, or for one with the same names."""
        if len(self.roles) != len(table.columns):
            return False
        return self.names == table.columns or self.first_line == _first_line(table)

    def read(self, table: TextTable, hints: Hints) -> tuple[TextTable, Columns]:
        """The table with the chosen header, and its columns. Raises DataError.

        Without a choice for this table, both are detected.
        """
        headed = self.with_header(table)
        return headed, self._columns(headed, hints) if self.fit(table) else columns_of(headed, hints)

    def _columns(self, table: TextTable, hints: Hints) -> Columns:
        if not any(self.roles):
            return columns_of(table, hints)
        source, references, outputs, scores = (
            tuple(index for index, item in enumerate(self.roles) if item == role) for role in ROLES
        )
        if not source or not references:
            raise DataError(
                "columns_needed", "choose a column for the source and one for the reference, above the rows"
            )
        return Columns(source[0], references, outputs, scores)

    def with_header(self, table: TextTable) -> TextTable:
        """The table with or without names in its first line, as the visitor chose. Raises DataError."""
        if self.header is None or self.first_line != _first_line(table) or not table.may_lack_header:
            return table
        return table.with_header(self.header)


def columns_to_show(
    table: TextTable, choice: ColumnChoice, hints: Hints, roles: tuple[str, ...] = ROLES
) -> dict[str, Any]:
    """The columns of a table as detected or chosen, its first rows, and the problem with it, for the page.

    `roles` are those that apply here.
    """
    problem, doubt, headed = "", None, table
    is_chosen = choice.fit(table)
    current = choice.roles if is_chosen else (LEFT_OUT,) * len(table.columns)
    try:
        headed = choice.with_header(table)
        columns = choice.read(table, hints)[1]
        current = tuple(map(columns.role, range(len(table.columns))))
        doubt = swapped_columns(headed, columns, hints)
    except DataError as error:
        problem = sentence(error)
    return {
        "names": headed.columns,
        "roles": tuple(role if role in roles else LEFT_OUT for role in current),
        "rows": tuple(map(_display, headed.rows[:SHOWN_ROWS])),
        "called": {role: say(ROLE_LABELS[role]) for role in (*roles, LEFT_OUT)},
        "chosen": is_chosen,  # whether the visitor made this choice
        "problem": problem,
        "first_line": _first_line(table),
        "doubt": message_text(doubt) if doubt else "",  # why the roles may be wrong
        # Whether the first line names the columns; None if the format settles it.
        "header": headed.has_names if table.may_lack_header else None,
    }


def _first_line(table: TextTable) -> tuple[str, ...]:
    """The first line of a file, as shown: the names of the columns, or the first row."""
    return _display(table.columns if table.has_names else table.rows[0])


def _display(cells: Sequence[str]) -> tuple[str, ...]:
    """Cells, cleaned and cut for the page."""
    return tuple(clean_text(cell)[:_CHARACTERS] for cell in cells)
