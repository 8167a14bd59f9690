"""Content of an answer to a reader: sentences, charts, a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias

from demo.widgets.answers.controls import Control
from demo.widgets.figures.drawing.figure import Figure
from demo.work.requests.checks import RequestError


@dataclass(frozen=True)
class LinkCell:
    """A table cell that is a link within the page."""

    text: str
    query: str  # the query of a link to the page


Cell: TypeAlias = "str | float | int | LinkCell"
LessonCurve: TypeAlias = (
    "Mapping[str, Sequence[str] | Sequence[float]]"  # `columns` with a label each, and `values`
)


class NotHereError(RequestError):
    """A view or lab has nothing to show for these inputs; the message says why and what would help."""


@dataclass(frozen=True)
class Chart:
    """A figure with its title."""

    name: str  # the name of its files
    title: str
    figure: Figure


@dataclass(frozen=True)
class Table:
    """Rows of cells; numbers are shown with two digits and copied in full."""

    head: Sequence[str | LinkCell]
    rows: Sequence[Sequence[Cell]]


@dataclass(frozen=True)
class Program:
    """The values that the program of a lab takes from an answer, beside those of the lab's controls."""

    constants: Mapping[str, Any] = field(default_factory=dict)  # values by constant or control, in lower case
    parts: Mapping[str, str] = field(default_factory=dict)  # substitutes of parts, by part
    lacks: Sequence[str] = ()  # controls whose values it cannot have


@dataclass(frozen=True)
class Content:
    """The content of an answer."""

    sentences: Sequence[str]  # sentences in the reader's language: the finding first, caveats last
    charts: Sequence[Chart] = ()
    table: Table | None = None
    # Numbers and words for lessons, by name; the page does not show them.
    facts: Mapping[str, float | str] = field(default_factory=dict)
    # Curves that a lesson may draw, by name.
    curves: Mapping[str, LessonCurve] = field(default_factory=dict)
    program: Program = Program()


def as_sent(content: Content, controls: Sequence[Control]) -> dict[str, Any]:
    """Content and controls as JSON for the script that draws them."""
    return {
        "sentences": list(content.sentences),
        "controls": controls_as_sent(controls),
        "charts": [
            {"name": chart.name, "title": chart.title, **chart.figure.to_plotly_json()}
            for chart in content.charts
        ],
        "table": None if content.table is None else asdict(content.table),
    }


def controls_as_sent(controls: Sequence[Control]) -> list[dict[str, Any]]:
    """The controls as JSON, each with its kind."""
    return [{"kind": control.kind, **asdict(control)} for control in controls]
