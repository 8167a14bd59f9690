"""One setting of a training run as the form shows it: where it lies in the recipe, its bounds, its help."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from demo.i18n import say
from demo.requests.checks import RequestError, check_choice, check_short_text, number, whole
from models.errors import Message, shown

Choice = tuple[str, str]  # what a person reads, what a recipe says


def with_bounds(help: str, low: object, high: object) -> Message:
    """The help of a number, with what it may be."""
    return Message(
        "help_with_bounds", "{help} {low} to {high}.", help=Message("help", help), low=low, high=high
    )


@dataclass(frozen=True)
class Field:
    """One setting. `path` is its place in the recipe: "optimizer.learning_rate"."""

    path: str
    label: str
    help: str
    section: str
    kind: str = "whole"  # whole, number, switch, choice, choices or text
    low: float = 0
    high: float = 0
    choices: tuple[Choice, ...] = ()
    only: tuple[str, ...] = ()  # the architectures that have it; () = all
    default: Any = None  # what it shows beside a recipe that lacks it

    def checked(self, value: object) -> Any:
        """The value as a recipe holds it. Raises RequestError."""
        if self.kind == "whole":
            return whole(self.label, value, int(self.low), int(self.high))
        if self.kind == "number":
            return float(number(self.label, value, self.low, self.high))
        if self.kind == "switch":
            if not isinstance(value, bool):
                raise RequestError(
                    "field_not_on_or_off",
                    "{name} must be on or off; got {value}.",
                    name=say(self.label),
                    value=shown(value),
                )
            return value
        if self.kind == "text":
            check_short_text(self.label, value, int(self.high))
            return str(value).strip()
        allowed = tuple(name for _, name in self.choices)
        if self.kind == "choices":
            if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
                raise RequestError(
                    "field_not_a_list",
                    "{name} must be a list of {allowed}; got {value}.",
                    name=say(self.label),
                    allowed=", ".join(allowed),
                    value=shown(value),
                )
            for item in value:
                check_choice(self.label, item, allowed)
            return value
        check_choice(self.label, value, allowed)
        return value


def choices_of(names: tuple[str, ...], titles: Mapping[str, str] | None = None) -> tuple[Choice, ...]:
    """A choice for each name; those without a title are shown as they are."""
    return tuple(((titles or {}).get(name, name), name) for name in names)
