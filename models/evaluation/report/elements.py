"""What the parts of a report's page are made of. Escapes what it was given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

Data = Mapping[str, Any]


def interval(figure: Data | None) -> str:
    """A number with its interval; a dash without one."""
    if figure is None:
        return "–"
    return f"{figure['value']:.2f} <span class=quiet>[{figure['low']:.2f}, {figure['high']:.2f}]</span>"


def section(title: str, inside: str) -> str:
    """A part of the page; `inside` is HTML already."""
    return f"<section><h2>{escape(title)}</h2>{inside}</section>"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], numbers: int | None = None) -> str:
    """Cells are HTML already, heads are text; columns from `numbers` on are aligned at the end."""

    def cell(tag: str, at: int, text: str) -> str:
        kind = ' class="number"' if numbers is not None and at >= numbers and "bar" not in text else ""
        return f"<{tag}{kind}>{text}</{tag}>"

    head = "".join(cell("th" if text else "td", at, escape(text)) for at, text in enumerate(heads))
    body = "".join(
        "<tr>" + "".join(cell("td", at, text) for at, text in enumerate(row)) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
