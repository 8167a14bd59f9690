"""Content of an answer to a reader: the controls that it depends on, sentences, charts, a table.

Each control of a view or a lab is declared where its value is read. Values from the browser are checked
there: an invalid one counts as the default, since it may have been chosen for another view.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from demo.widgets.figures.figure import Figure
from demo.work.operator.caps import MAX_OPTION_CHARACTERS
from demo.work.requests.checks import RequestError
from models.errors import brief

if TYPE_CHECKING:
    from models.decoding.record.recorder import OnStep
    from models.registry.checkpoint import Checkpoint, CheckpointConfig

MAX_OPTIONS = 20


def _none(name: str) -> AbstractContextManager[tuple[Checkpoint, OnStep]]:
    raise RequestError("no_checkpoint_opens", "No checkpoint can be opened here.")


@dataclass(frozen=True)
class Networks:
    """Checkpoints that a lab can open; by default none."""

    configs: Callable[[], Sequence[tuple[str, CheckpointConfig]]] = tuple  # (name, configuration)
    # Opens a checkpoint in its own turn, with a listener to the steps of its decodings. Raises RequestError,
    # CheckpointError.
    open_checkpoint: Callable[[str], AbstractContextManager[tuple[Checkpoint, OnStep]]] = _none


@dataclass(frozen=True)
class Select:
    """A choice from a list."""

    kind: ClassVar[str] = "select"  # the name of this kind in the script

    name: str
    label: str
    options: Sequence[tuple[str, str]]  # name in links, and label
    value: str


@dataclass(frozen=True)
class Number:
    """A number within bounds."""

    kind: ClassVar[str] = "number"

    name: str
    label: str
    low: float
    high: float
    step: float
    value: float


@dataclass(frozen=True)
class TextInput:
    """A text that the reader types."""

    kind: ClassVar[str] = "text"

    name: str
    label: str
    value: str


Control: TypeAlias = "Select | Number | TextInput"


@dataclass
class Controls:
    """The values that the reader has set, and the controls that were declared so far."""

    options: Mapping[str, object] = field(default_factory=dict, kw_only=True)  # values by control
    # All controls, ordered by their declaration.
    controls: list[Control] = field(default_factory=list, kw_only=True)
    # The state of this visitor's training by its settings, None if there is none; for labs that train.
    trained: Callable[[Hashable], Any] = field(default=lambda _: None, kw_only=True)
    networks: Networks = field(default_factory=Networks, kw_only=True)  # networks for labs

    def choose(self, name: str, label: str, options: Sequence[tuple[str, str]], default: str = "") -> str:
        """Declare a choice and return its value, by default `default` or else the first option."""
        values = [value for value, _ in options]
        fallback = default if default in values else values[0]
        setting = self.options.get(name)
        value = setting if isinstance(setting, str) and setting in values else fallback
        self.controls.append(Select(name, label, options, value))
        return value

    def number(self, name: str, label: str, low: float, high: float, step: float, default: float) -> float:
        """Declare a number and return its value, clipped to its bounds."""
        setting = self.options.get(name)
        try:
            value = float(setting) if isinstance(setting, str | int | float) else default
        except ValueError:
            value = default
        value = min(max(value if math.isfinite(value) else default, low), high)
        self.controls.append(Number(name, label, low, high, step, value))
        return value

    def text_field(self, name: str, label: str, default: str = "") -> str:
        """Declare a text field and return its text."""
        setting = self.options.get(name)
        value = setting[:MAX_OPTION_CHARACTERS] if isinstance(setting, str) else default
        self.controls.append(TextInput(name, label, value))
        return value


def checked_options(options: object) -> dict[str, object]:
    """Return values by control. Raises RequestError for one that is not a short text or number."""
    if not isinstance(options, Mapping) or len(options) > MAX_OPTIONS:
        raise RequestError(
            "options_not_an_object", "options must be an object; got {value}.", value=brief(options)
        )
    for value in options.values():
        if not isinstance(value, str | int | float) or len(str(value)) > MAX_OPTION_CHARACTERS:
            raise RequestError(
                "option_not_plain",
                "An option must be a number or a short text; got {value}.",
                value=brief(value),
            )
    return dict(options)


@dataclass(frozen=True)
class LinkCell:
    """A table cell that is a link within the page."""

    text: str
    query: str  # the query of a link to the page


Cell: TypeAlias = "str | float | int | LinkCell"
# `columns` with a label each, and `values`.
LessonCurve: TypeAlias = "Mapping[str, Sequence[str] | Sequence[float]]"


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
