"""What a reader may choose in a view or a lab: each control is declared where its value is read.

What comes from the browser is checked there: a value that a control cannot have is its default, since the
reader may have chosen it for something else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

from demo.answers.networks import Networks
from demo.operator.caps import MAX_OPTION_CHARACTERS
from demo.requests.checks import RequestError
from models.errors import brief

MAX_OPTIONS = 20


@dataclass(frozen=True)
class Select:
    """A choice from a list."""

    kind: ClassVar[str] = "select"  # as the script calls it

    name: str
    label: str
    options: Sequence[tuple[str, str]]  # what it is called in links, and what is shown
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
    """Lines that the reader types."""

    kind: ClassVar[str] = "text"

    name: str
    label: str
    value: str


Control: TypeAlias = "Select | Number | TextInput"


@dataclass
class Controls:
    """What was chosen, and the controls that were declared so far."""

    options: Mapping[str, object] = field(default_factory=dict, kw_only=True)  # by the controls' names
    # In the order of their declaration.
    controls: list[Control] = field(default_factory=list, kw_only=True)
    # What this visitor's training has learnt so far by its settings, None if nothing: of labs that train.
    learnt: Callable[[Hashable], Any] = field(default=lambda _: None, kw_only=True)
    networks: Networks = field(default_factory=Networks, kw_only=True)  # for labs that ask a checkpoint

    def choose(self, name: str, label: str, options: Sequence[tuple[str, str]], default: str = "") -> str:
        """Which of these the reader has chosen; the first unless there is a default."""
        values = [value for value, _ in options]
        fallback = default if default in values else values[0]
        chosen = self.options.get(name)
        value = chosen if isinstance(chosen, str) and chosen in values else fallback
        self.controls.append(Select(name, label, options, value))
        return value

    def number(self, name: str, label: str, low: float, high: float, step: float, default: float) -> float:
        """Which number the reader has chosen."""
        chosen = self.options.get(name)
        try:
            value = float(chosen) if isinstance(chosen, str | int | float) else default
        except ValueError:
            value = default
        value = min(max(value if math.isfinite(value) else default, low), high)
        self.controls.append(Number(name, label, low, high, step, value))
        return value

    def typed(self, name: str, label: str, default: str = "") -> str:
        """What the reader has typed."""
        chosen = self.options.get(name)
        value = chosen[:MAX_OPTION_CHARACTERS] if isinstance(chosen, str) else default
        self.controls.append(TextInput(name, label, value))
        return value


def checked_options(options: object) -> dict[str, object]:
    """What was chosen, by the names of controls, each of a size to be read. Raises RequestError."""
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
