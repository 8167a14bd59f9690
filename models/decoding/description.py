"""The descriptions of a strategy and of a setting for people and programs. Numbers and strings only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from enum import Enum
from typing import Any, TypeVar

from models.decoding.limits import DecodingError
from models.errors import Message, UnrolledError
from models.setting import Setting
from models.setting import setting as declare

LAST_POSITION = 1000  # the position of strategies and presets that state none
Value = TypeVar("Value")


class Family(str, Enum):
    """The aim of a strategy."""

    SEARCH = "search"  # the most probable output
    DRAW = "draw"  # outputs at random


@dataclass(frozen=True)
class Caption:
    """The label and help of a setting that has another meaning in one strategy."""

    label: str
    help: str


@dataclass(frozen=True)
class StrategyPreset:
    """A choice of settings that a comparison offers."""

    settings: Mapping[str, Any] = field(default_factory=dict)  # values by the fields of DecodingOptions
    position: int = LAST_POSITION  # the position among all presets
    ticked: bool = False  # True: chosen when the page opens


@dataclass(frozen=True)
class Description:
    """The texts and settings of a strategy. Sentences are English, with settings in braces.

    `details` stand beside the name in a table: each is a setting, shown by its phrase, or a sentence with the
    phrases of settings in braces.
    """

    label: str  # the text of a button: "Diverse beam"
    sentence: str  # how it works
    family: Family
    short: str  # its name in a table, with the values of settings: "Beam {beam_size}"
    details: tuple[str, ...]
    title: str = ""  # the name in a list: "Diverse beam search"; empty: the label
    remark: str = ""  # a few words after its name in the list for programs
    settings: tuple[str, ...] = ()  # fields of DecodingOptions that it uses and some strategies do not
    main: tuple[str, ...] = ()  # the most important settings, for a short form
    fields: Mapping[str, str] = field(default_factory=dict)  # the field of each setting, if named otherwise
    captions: Mapping[str, Caption] = field(default_factory=dict)  # settings with another meaning here
    presets: tuple[StrategyPreset, ...] = ()
    position: int = LAST_POSITION  # the position in a list of names
    rare: bool = False  # True: a form hides its button until more strategies are asked for
    form_position: int | None = None  # the position among the buttons of its family, if it differs
    slowness: int = 0  # the slowest rows of a comparison run last
    proof: str = ""  # the statement that a complete search proves; empty: none
    ranking: str = ""  # a sentence about how its outputs are ranked, if not by score
    rank_symbol: str = ""  # the symbol of its rank score, if that is not a log-probability

    @property
    def draws(self) -> bool:
        """Whether it draws outputs at random."""
        return self.family is Family.DRAW

    @property
    def complete(self) -> bool:
        """Whether it can prove that no output is more probable than its first."""
        return bool(self.proof)

    def normalises(self, values: Mapping[str, Any]) -> bool:
        """Whether these values of settings rank finished outputs by another value than log-probability."""
        uses = "length_penalty" in self.settings
        return uses and values["normalizer"] != "none" and values["length_penalty"] != 0

    def field_of(self, setting: str) -> str:
        """The name of a setting in the class of the strategy."""
        return self.fields.get(setting, setting)

    def setting_of(self, field_name: str) -> str:
        """The setting that a field of the class holds: the inverse of `field_of`."""
        return next((setting for setting, name in self.fields.items() if name == field_name), field_name)


class FormPart(str, Enum):
    """The part of a form in which a setting stands."""

    STRATEGY = "strategy"  # the choice that the others depend on
    SIZE = "size"  # how many, how much, how long: these come first
    MANNER = "manner"  # how the search goes on, or how it draws
    SEED = "seed"
    CONSTRAINT = "constraint"  # the tokens that an output may or must contain


@dataclass(frozen=True)
class DecodingSetting(Setting):
    """A field of `DecodingOptions`. Sentences are English, with settings or properties of one in braces.

    `meaning` may name {low}, {high}, {choices} and {users}, the strategies that the setting matters to;
    `phrase` may name any setting.
    """

    _: KW_ONLY
    meaning: str = ""  # one sentence, for a program
    phrase: str = ""  # its value in words; empty: the value itself
    single: str = ""  # the phrase for a value of 1, if another
    optional: bool = False  # off at the default value, which no phrase mentions
    at_zero: Message | None = None  # added to the refusal of 0
    brief: str = ""  # a short label with the unit; empty: the label
    part: FormPart = FormPart.MANNER
    wide: bool = False  # takes a whole line of a form
    within: str = ""  # the setting that is its maximum
    idle: tuple[str, str] | None = None  # a setting, and the value of it that makes this one idle

    def with_maximum(self, high: float) -> DecodingSetting:
        """Return the setting with a lower maximum, and with a default within it."""
        assert self.low is not None
        assert self.high is not None
        maximum = max(self.low, min(self.high, high))
        return replace(self, high=maximum, default=min(self.default, maximum))

    def explanation(self, users: tuple[str, ...]) -> str:
        """The meaning of the setting, with everything in braces filled in."""
        words = tuple(
            f"{choice.value} ({choice.remark})" if choice.remark else choice.value for choice in self.choices
        )
        return self.meaning.format(
            low=_bound_text(self.low),
            high=_bound_text(self.high),
            characters=self.characters,
            choices=joined_names(words, "or"),
            users=joined_names(users, "and"),
        )

    def checked_value(self, value: Any, error: type[UnrolledError] = DecodingError, name: str = "") -> Any:
        return super().checked_value(value, error, name)

    def problem(self, value: object, name: str = "") -> Message | None:
        problem = super().problem(value, name)
        if problem is None or self.at_zero is None or isinstance(value, bool) or value != 0:
            return problem
        return Message("zero_refused", "{problem}. {remedy}", problem=problem, remedy=self.at_zero)

    def strategy_value(self, value: Any) -> Any:
        """The value that a strategy takes for a value in a request."""
        meaning = next((choice.means for choice in self.choices if choice.value == value), None)
        return value if meaning is None else meaning

    def request_value(self, value: Any) -> Any:
        """The value in a request that gives a strategy this value: the inverse of `strategy_value`."""
        if value is None:
            return value
        # The types must be equal too, since True == 1 in Python.
        fitting = (
            choice for choice in self.choices if type(choice.means) is type(value) and choice.means == value
        )
        return next((choice.value for choice in fitting), value)


def setting(
    default: Value,
    words: tuple[str, str],
    meaning: str,
    bounds: tuple[float | None, float | None, float] = (None, None, 1),
    **properties: Any,
) -> Value:
    """A field of `DecodingOptions`; `properties` are fields of `DecodingSetting`.

    `words`: label, help. `bounds`: low, high, step. Only the strategy can be given by position, so that a new
    field moves no argument.
    """
    low, high, step = bounds
    declared = DecodingSetting(*words, low, high, step=step, meaning=meaning, **properties)
    return declare(default, declared, kw_only=declared.part is not FormPart.STRATEGY)


def joined_names(names: tuple[str, ...], last: str) -> str:
    """Names in a sentence: "a, b and c"; `last` is the word before the last one."""
    return f" {last} ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _bound_text(bound: float | None) -> str:
    return "" if bound is None else f"{bound:.12g}"
