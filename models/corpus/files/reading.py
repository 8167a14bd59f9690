"""Pairs of texts from any table: the one reader of the page, of the command lines and of training."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from pathlib import Path

from models.corpus.files.columns import NO_HINTS, Columns, Hints, columns_of, parse_columns, swapped_columns
from models.corpus.files.formats import read_table_files
from models.corpus.files.table import Limits, PairSelection, TextTable
from models.corpus.pairs import Pair, clean_text
from models.errors import Message

ON_COMMAND_LINE = Limits(size=4 << 30, unpacked=16 << 30, rows=100_000_000)
COLUMNS_METAVAR = "source=NAME,reference=NAME"
SHOWN_ROWS = 3
_SHOWN_CELL_CHARACTERS = 60
_SHOWN_MALFORMED = 3


@dataclass(frozen=True)
class Reading:
    """A table, and the role of each of its columns."""

    name: str
    table: TextTable
    columns: Columns
    role_warning: Message | None = None  # why the roles may be wrong

    def select(self) -> PairSelection:
        """The pairs, and the rows that gave none. Raises DataError."""
        names = self.table.columns
        return self.table.select(
            names[self.columns.source], *(names[index] for index in self.columns.references)
        )

    def lines(self) -> list[str]:
        """Describe the reading for a command line: the columns with their roles, three rows, unused rows."""
        table, selection = self.table, self.select()
        roles = [
            f"{name!r} = {self.columns.role(index) or 'left out'}" for index, name in enumerate(table.columns)
        ]
        rows = [
            [clean_text(cell)[:_SHOWN_CELL_CHARACTERS] for cell in row] for row in table.rows[:SHOWN_ROWS]
        ]
        lines = [
            f"{self.name}: {table.format}, {table.encoding}, {len(selection.pairs):,} pairs",
            f"  {', '.join(roles)}",
            *(f"  {' | '.join(cells)}" for cells in rows),
        ]
        if self.role_warning is not None:
            lines.append(f"  {self.role_warning}")
        if selection.malformed_count:
            lines.append(f"  rows left out: {selection.malformed_count:,}")
            lines += [f"    line {row.line}: {row.reason}" for row in selection.malformed[:_SHOWN_MALFORMED]]
        return lines


def read_parallel(path: Path, hints: Hints = NO_HINTS) -> Reading:
    """The table of a file on a person's machine, or of line-aligned files beside it. Raises DataError."""
    table = read_table_files([path], header_names=hints.names, limits=ON_COMMAND_LINE)
    columns = columns_of(table, hints)
    return Reading(path.name, table, columns, swapped_columns(table, columns, hints))


def read_pairs(path: Path, hints: Hints = NO_HINTS) -> tuple[Pair, ...]:
    """The pairs of `read_parallel`. Raises DataError."""
    return read_parallel(path, hints).select().pairs


def add_columns(parser: argparse.ArgumentParser) -> None:
    """Add the options `--columns` and `--swap`, which give the columns of a file their roles."""
    parser.add_argument(
        "--columns",
        default="",
        metavar=COLUMNS_METAVAR,
        help="names or numbers of columns; output=NAME and score=NAME are for evaluations",
    )
    parser.add_argument(
        "--swap",
        action=argparse.BooleanOptionalAction,
        help="the second of two unnamed columns is the source (default: decided by their texts and the "
        "checkpoint's recipe)",
    )


def hints_of(options: argparse.Namespace, usual: Hints | None = None) -> Hints:
    """The hints of `--columns` and `--swap`, added to those of `usual`. Raises DataError."""
    named_columns = parse_columns(options.columns) if options.columns else ()
    if options.swap is not None:
        return Hints(named_columns, swap=options.swap)
    return replace(usual or NO_HINTS, named=named_columns)
