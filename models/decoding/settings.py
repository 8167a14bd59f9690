"""What one setting of a decoding is: its bounds, its words, and the check that all who take it share.

Knows no strategy, no page and no torch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from models.decoding.limits import DecodingError
from models.errors import Message, not_a_text, not_one_of, not_whole_within, not_within, unfit_text


class Part(str, Enum):
    """Where on a form a setting stands."""

    STRATEGY = "strategy"  # the choice that the others depend on
    SIZE = "size"  # how much of everything: these come first
    MANNER = "manner"  # how the search goes on, or how it draws
    SEED = "seed"
    CONSTRAINT = "constraint"  # what may be written at all


@dataclass(frozen=True)
class Choice:
    """One of the words that a setting may be."""

    value: str  # as a request says it
    label: str  # as a person reads it
    means: Any = None  # as a strategy takes it; None: the word itself
    remark: str = ""  # a few words behind it where programs read the list


@dataclass(frozen=True)
class Setting:
    """A field of `DecodingOptions`. Sentences are English; in braces stand settings, or what is told of one.

    `meaning` may name {low}, {high}, {choices} and {users}, the strategies that the setting matters to;
    `phrase` may name any setting.
    """

    label: str
    help: str  # one short sentence, for a person
    meaning: str  # one sentence, for a program
    low: float | None = None  # None: no number
    high: float | None = None
    step: float = 1
    unit: str = ""
    characters: int | None = None  # of a text, at most
    offers: Callable[[], tuple[Choice, ...]] = tuple  # the words that it may be; none: no word
    phrase: str = ""  # its value in words; empty: the value itself
    single: str = ""  # the phrase for a value of 1, if another
    optional: bool = False  # off at the default value, of which nothing is said
    at_zero: Message | None = None  # what is added to the refusal of 0
    brief: str = ""  # its label where there is little room, with the unit; empty: the label
    part: Part = Part.MANNER
    wide: bool = False  # takes a whole line of a form
    within: str = ""  # the setting that is its maximum
    idle: tuple[str, str] | None = None  # it does nothing while this setting has this value
    name: str = ""  # of the field; this and the next are told by `DecodingOptions`
    default: Any = None

    @property
    def kind(self) -> type:
        """str, int or float."""
        return type(self.default)

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The words that it may be; empty if it is no choice."""
        return self.offers()

    @property
    def words(self) -> tuple[str, ...]:
        """The choices as a request says them."""
        return tuple(choice.value for choice in self.choices)

    def narrowed(self, high: float) -> Setting:
        """The setting with a lower maximum, and a default within it."""
        assert self.low is not None
        assert self.high is not None
        most = max(self.low, min(self.high, high))
        return replace(self, high=most, default=min(self.default, most))

    def explained(self, users: tuple[str, ...]) -> str:
        """Its meaning, with all that it names filled in."""
        words = tuple(f"{each.value} ({each.remark})" if each.remark else each.value for each in self.choices)
        return self.meaning.format(
            low=_plain(self.low),
            high=_plain(self.high),
            characters=self.characters,
            choices=listed(words, "or"),
            users=listed(users, "and"),
        )

    def checked(self, value: object) -> Any:
        """`value` as the field holds it: JSON has 4.0 for 4. Raises DecodingError."""
        if self.choices:
            if not isinstance(value, str) or value not in self.words:
                raise DecodingError(not_one_of(self.name, self.words, value))
            return value
        return self._text(value) if self.kind is str else self._number(value)

    def _text(self, value: object) -> str:
        if not isinstance(value, str):
            raise DecodingError(not_a_text(self.name, value))
        problem = unfit_text(self.name, value, self.characters)
        if problem is not None:
            raise DecodingError(problem)
        return value

    def _number(self, value: Any) -> float:
        low, high = self.low, self.high
        assert low is not None
        assert high is not None
        # bool is an int to Python; NaN fails every comparison.
        fits = isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high
        if self.kind is int:
            if not fits or value % 1:
                raise DecodingError(not_whole_within(self.name, f"{low:,}", f"{high:,}", value))
            return int(value)
        if not fits:
            problem = not_within(self.name, f"{low:g}", f"{high:g}", value)
            if value == 0 and not isinstance(value, bool) and self.at_zero:
                raise DecodingError(
                    "zero_refused", "{problem}. {remedy}", problem=problem, remedy=self.at_zero
                )
            raise DecodingError(problem)
        return float(value)

    def meant(self, value: Any) -> Any:
        """A value as a strategy takes it."""
        found = next((choice.means for choice in self.choices if choice.value == value), None)
        return value if found is None else found

    def said(self, meant: Any) -> Any:
        """A value that a strategy has, as a request says it: the inverse of `meant`."""
        # Of one type, since True is 1 to Python; a choice without a meaning has None.
        same = (each for each in self.choices if type(each.means) is type(meant) and each.means == meant)
        return meant if meant is None else next((choice.value for choice in same), meant)


def setting(
    default: Any,
    words: tuple[str, str],
    meaning: str,
    bounds: tuple[float | None, float | None, float] = (None, None, 1),
    **told: Any,
) -> Any:
    """A field of `DecodingOptions` with what is told of it; see `Setting`.

    `words`: label, help. `bounds`: low, high, step. Only the strategy can be given by position, so that a new
    field moves no argument.
    """
    label, help = words
    low, high, step = bounds
    found = Setting(label, help, meaning, low, high, step, **told)
    return field(default=default, metadata={"setting": found}, kw_only=found.part is not Part.STRATEGY)


def choices(*found: Choice) -> Callable[[], tuple[Choice, ...]]:
    """What `Setting.offers` wants, of a few words that never change."""
    return lambda: found


def listed(names: tuple[str, ...], last: str) -> str:
    """Names in a sentence: "a, b and c"; `last` is the word before the last one."""
    return f" {last} ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _plain(bound: float | None) -> str:
    return "" if bound is None else f"{bound:.12g}"
