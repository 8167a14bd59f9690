"""What a generated task is: a name, its difficulty as whole numbers, and a function that makes pairs."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from models.corpus.pairs import DataError, Pair

Options = Mapping[str, int]


@dataclass(frozen=True)
class Option:
    """One setting of difficulty, a whole number from `low` to `high`."""

    name: str
    label: str
    help: str
    low: int
    high: int
    default: int


@dataclass(frozen=True)
class GeneratedTask:
    """A task, what it can be set to, and how a pair of it is made."""

    name: str
    title: str
    description: str  # one sentence
    tokenizer: Literal["character", "word"]  # the kind that fits; of a picture, its caption
    example: Pair  # with the default options
    options: tuple[Option, ...]
    make: Callable[[random.Random, Options], Pair]  # from options that `check` has let pass
    sources: Callable[[Options], int]  # how many different sources there are
    ordered: tuple[tuple[str, str], ...] = ()  # options of which the first must not exceed the second
    metric: str = "exact_match"
    has_pictures: bool = False  # the sources are pictures, see `models.pictures`

    @property
    def defaults(self) -> dict[str, int]:
        """The options as they are when nobody has touched them."""
        return {option.name: option.default for option in self.options}

    def check(self, options: Options) -> dict[str, int]:
        """All options, the defaults filled in. Raises DataError for a name or value that cannot be."""
        known = {option.name: option for option in self.options}
        for name, value in options.items():
            if name not in known:
                raise DataError(
                    f"the task {self.name!r} has the options {', '.join(known)}; got {name!r}: leave it out"
                )
            low, high = known[name].low, known[name].high
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise DataError(
                    f"{known[name].label!r} must be a whole number from {low} to {high}; got {value!r}"
                )
        values = self.defaults | dict(options)
        for least, most in self.ordered:
            if values[least] > values[most]:
                raise DataError(
                    f"{known[least].label!r} is {values[least]} but {known[most].label!r} is {values[most]}: "
                    "make the first no larger than the second"
                )
        return values
