"""The HTML elements of a report's page. Texts are escaped here unless they are called HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from models.evaluation.metric_scores import MetricScore
    from models.evaluation.report.evaluation_report import MetricDifference


def estimate(score: MetricScore | MetricDifference | None) -> str:
    """A number with its interval; a dash for None."""
    return "–" if score is None else interval(score.value, score.low, score.high)


def interval(value: float, low: float, high: float) -> str:
    """A number with the two ends of its interval."""
    return f"{value:.2f} <span class=quiet>[{low:.2f}, {high:.2f}]</span>"


def section(title: str, html: str) -> str:
    """A part of the page with its title."""
    return f"<section><h2>{escape(title)}</h2>{html}</section>"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], numbers: int | None = None) -> str:
    """A table of HTML cells under heads of text; columns from `numbers` on are aligned at the end."""

    def cell(tag: str, column: int, html: str) -> str:
        kind = ' class="number"' if numbers is not None and column >= numbers and "bar" not in html else ""
        return f"<{tag}{kind}>{html}</{tag}>"

    head = "".join(cell("th" if text else "td", column, escape(text)) for column, text in enumerate(heads))
    body = "".join(
        "<tr>" + "".join(cell("td", column, html) for column, html in enumerate(row)) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
