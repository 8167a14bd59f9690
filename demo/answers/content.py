"""Content of an answer to a reader: sentences, charts, a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias

from demo.answers.controls import Control
from demo.figures.figure import Figure
from demo.requests.checks import RequestError


@dataclass(frozen=True)
class Linked:
    """A text in a table that opens something on the page."""

    text: str
    query: str  # of a link to the page


Cell: TypeAlias = "str | float | int | Linked"
LessonCurve: TypeAlias = (
    "Mapping[str, Sequence[str] | Sequence[float]]"  # `columns` with a label each, and `values`
)


class NotHereError(RequestError):
    """A view has nothing to say of this network or this step; the message says why, and where it would."""


@dataclass(frozen=True)
class Chart:
    """A figure with its title."""

    name: str  # of its files
    title: str
    figure: Figure


@dataclass(frozen=True)
class Table:
    """Lines of cells; a number is shown with two digits and copied whole."""

    head: Sequence[str | Linked]
    rows: Sequence[Sequence[Cell]]


@dataclass(frozen=True)
class Content:
    """What a view answers."""

    told: Sequence[str]  # sentences in the reader's language: the finding first, how far to trust it last
    charts: Sequence[Chart] = ()
    table: Table | None = None
    # Its numbers and words by names that lessons ask for; the page does not show them by themselves.
    facts: Mapping[str, float | str] = field(default_factory=dict)
    curves: Mapping[str, LessonCurve] = field(
        default_factory=dict
    )  # that a lesson may ask to draw, by names too


def as_sent(found: Content, controls: Sequence[Control]) -> dict[str, Any]:
    """An answer and the controls that were declared for it, for the script that draws both."""
    return {
        "told": list(found.told),
        "controls": controls_as_sent(controls),
        "charts": [
            {"name": chart.name, "title": chart.title, **chart.figure.to_plotly_json()}
            for chart in found.charts
        ],
        "table": None if found.table is None else asdict(found.table),
    }


def controls_as_sent(controls: Sequence[Control]) -> list[dict[str, Any]]:
    """Each with its kind."""
    return [{"kind": control.kind, **asdict(control)} for control in controls]
