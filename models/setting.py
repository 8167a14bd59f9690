"""A setting: the values that it may have, and its words on a form. Imports neither Gradio nor torch.

A dataclass declares settings as fields (`setting`). `settings_of` lists them, `check_settings` checks them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, MISSING, Field, dataclass, field, fields, replace
from functools import cache
from typing import Any, TypeVar

from models.errors import (
    Message,
    UnrolledError,
    brief,
    not_a_switch,
    not_a_text,
    not_one_of,
    not_texts,
    not_whole,
    unfit_text,
)

Value = TypeVar("Value")
MAX_INT64 = 2**63 - 1  # the maximum of whole numbers without another one


@dataclass(frozen=True)
class Choice:
    """One of the words that a setting may be."""

    value: str  # its name in a request or a recipe
    label: str  # its label on a form
    means: Any = None  # the value that a strategy takes; None: the word itself
    remark: str = ""  # a few words after it in lists for programs


@dataclass(frozen=True)
class Setting:
    """One setting. Its values have the type of its default: int, float, bool, str, or a tuple of words."""

    label: str = ""  # empty: no form has it
    help: str = ""  # one short sentence
    low: float | None = None  # None: no number, or no bound
    high: float | None = None
    _: KW_ONLY
    step: float = 1
    unit: str = ""
    thousands: str = ","  # the thousands separator of bounds in messages; empty for a year
    above: bool = False  # `low` itself is refused
    below: bool = False  # `high` itself is refused
    characters: int | None = None  # the most characters of a text
    offers: Callable[[], tuple[Choice, ...]] = tuple  # the allowed words; empty: any text
    form: tuple[Any, ...] = ()  # narrower limits of a form, if any: (low, high), or some of the words
    name: str = ""  # the name of the field; `settings_of` fills in this and the next
    default: Any = None

    @property
    def kind(self) -> type:
        """The type of its values."""
        return type(self.default)

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The words that it may be; empty if it is not a choice."""
        return self.offers()

    @property
    def words(self) -> tuple[str, ...]:
        """The values of its choices."""
        return tuple(choice.value for choice in self.choices)

    def on_form(self) -> Setting:
        """The setting with the bounds, the length or the words that a form offers."""
        if not self.form:
            return self
        if self.choices:
            offered = tuple(choice for choice in self.choices if choice.value in self.form)
            return replace(self, offers=lambda: offered)
        if self.kind is str:
            return replace(self, characters=self.form[1])
        return replace(self, low=self.form[0], high=self.form[1], above=False, below=False)

    def problem(self, value: object, name: str = "") -> Message | None:
        """The sentence that refuses a value, `name` being the setting; None if the value is allowed."""
        name = name or self.name
        if self.kind is tuple:
            return self._list_problem(name, value)
        if self.choices:
            fits = isinstance(value, str) and value in self.words
            return None if fits else not_one_of(name, self.words, value)
        if self.kind is bool:
            return None if isinstance(value, bool) else not_a_switch(name, value)
        if self.kind is str:
            if not isinstance(value, str):
                return not_a_text(name, value)
            return None if self.characters is None else unfit_text(name, value, self.characters)
        return self._number_problem(name, value)

    def _list_problem(self, name: str, value: object) -> Message | None:
        fits = isinstance(value, tuple) and all(isinstance(item, str) for item in value)
        if fits and (not self.choices or set(value) <= set(self.words)):  # type: ignore[call-overload]
            return None
        if not self.choices:
            return not_texts(name, value)
        return Message(
            "not_a_list_of",
            "{name} must be a list of {allowed}; got {value}",
            name=name,
            allowed=", ".join(self.words),
            value=brief(value),
        )

    def _number_problem(self, name: str, value: object) -> Message | None:
        low, high = self.low, self.high
        assert low is not None
        maximum = high if high is not None else MAX_INT64 if self.kind is int else math.inf
        # bool is an int to Python; NaN fails every comparison.
        fits = isinstance(value, int if self.kind is int else int | float) and not isinstance(value, bool)
        fits = fits and low <= value <= maximum  # type: ignore[operator]
        if fits and not (self.above and value == low) and not (self.below and value == high):
            return None
        if self.kind is int:
            if high is None:
                return not_whole(name, f"{low:{self.thousands}}", value)
            return Message(
                "not_whole_within",
                "{name} must be a whole number from {low} to {high}; got {value}",
                name=name,
                low=f"{low:{self.thousands}}",
                high=f"{high:{self.thousands}}",
                value=brief(value),
            )
        if high is not None and not self.above and not self.below:
            return Message(
                "not_within",
                "{name} must be a number from {low} to {high}; got {value}",
                name=name,
                low=f"{low:g}",
                high=f"{high:g}",
                value=brief(value),
            )
        ends = _ends(low, high, self.above, self.below)
        return Message(
            "not_a_number_within",
            "{name} must be a number {ends}; got {value}",
            name=name,
            ends=ends,
            value=brief(value),
        )

    def check(self, value: object, error: type[UnrolledError], name: str = "") -> None:
        """Raise `error` with the `problem` of a value, if it has one."""
        problem = self.problem(value, name)
        if problem is not None:
            raise error(problem)

    def checked_value(self, value: Any, error: type[UnrolledError], name: str = "") -> Any:
        """The value as the field holds it: JSON has 4.0 for 4 and lists for tuples. Raises `error`."""
        if self.kind is int and isinstance(value, float) and value.is_integer():
            value = int(value)
        if self.kind is tuple and isinstance(value, list):
            value = tuple(value)
        self.check(value, error, name)
        return float(value) if self.kind is float else value


def setting(default: Value, declared: Setting, **options: Any) -> Value:
    """A field of a dataclass that is a setting; `options` are those of `dataclasses.field`."""
    declared_field: Value = field(default=default, metadata={"setting": declared}, **options)
    return declared_field


@cache
def settings_of(owner: type[Any]) -> Mapping[str, Any]:
    """Every setting of a dataclass by its name, in the order of the fields."""
    return {
        item.name: replace(item.metadata["setting"], name=item.name, default=_default_of(item))
        for item in fields(owner)
        if "setting" in item.metadata
    }


def _default_of(item: Field[Any]) -> Any:
    return item.default if item.default_factory is MISSING else item.default_factory()


def check_settings(config: Any, error: type[UnrolledError], prefix: str = "") -> None:
    """Raise `error` for the first setting of a dataclass with an invalid value; `prefix`: before names."""
    owner: Any = type(config)
    for name, declared in settings_of(owner).items():
        declared.check(getattr(config, name), error, f"{prefix}{name}")


def words(*values: str) -> Callable[[], tuple[Choice, ...]]:
    """The `Setting.offers` of words without labels."""
    return labels(dict.fromkeys(values, ""))


def choices(*words: Choice) -> Callable[[], tuple[Choice, ...]]:
    """The `Setting.offers` of a few words that never change."""
    return lambda: words


def labels(titles: Mapping[str, str]) -> Callable[[], tuple[Choice, ...]]:
    """The `Setting.offers` of words with their labels."""
    return choices(*(Choice(word, label) for word, label in titles.items()))


def _ends(low: float, high: float | None, above: bool, below: bool) -> Message:
    """The bounds of a number in words: "above 0 and at most 1"."""
    lower = (
        Message("above", "above {value}", value=low)
        if above
        else Message("at_least", "at least {value}", value=low)
    )
    if high is None:
        return lower
    upper = (
        Message("below", "below {value}", value=high)
        if below
        else Message("at_most", "at most {value}", value=high)
    )
    return Message("both_ends", "{least} and {most}", least=lower, most=upper)
