"""Controls of a view or a lab, each declared where its value is read.

Values from the browser are checked there: an invalid one counts as the default, since it may have been
chosen for another view.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

from demo.widgets.answers.networks import Networks
from demo.work.operator.caps import MAX_OPTION_CHARACTERS
from demo.work.requests.checks import RequestError
from models.errors import brief

MAX_OPTIONS = 20


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
