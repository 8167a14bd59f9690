"""A generated task: a name, its difficulty as whole numbers, and a function that makes pairs."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from models.corpus.pairs import DataError, Pair
from models.errors import quoted_label
from models.setting import Setting

Options = Mapping[str, int]


def option(
    name: str, label: str, help: str, low: int, high: int, default: int, thousands: str = ","
) -> Setting:
    """One setting of difficulty, a whole number."""
    return Setting(label, help, low, high, name=name, default=default, thousands=thousands)


@dataclass(frozen=True)
class AlignedPair:
    """A pair with the parts of the source that each token of the target depends on."""

    source: str
    target: str
    # For each token of the target: indices of the source's tokens, or of the picture's pixels. The set is
    # empty if the token depends on no part of the source in particular.
    relevant: tuple[frozenset[int], ...]


@dataclass(frozen=True)
class GeneratedTask:
    """A task, its options, and the function that makes a pair."""

    name: str
    title: str
    description: str  # one sentence
    tokenizer: Literal["character", "word"]  # the kind that fits the texts
    example: Pair  # a pair with the default options
    options: tuple[Setting, ...]
    make: Callable[[random.Random, Options], Pair]  # makes a pair from options that passed `check`
    sources: Callable[[Options], int]  # how many different sources there are
    ordered: tuple[tuple[str, str], ...] = ()  # pairs of options; the first must not exceed the second
    # Makes a pair with its alignment. None: the targets have no clear alignment.
    aligned: Callable[[random.Random, Options], AlignedPair] | None = None
    has_pictures: bool = False  # the sources are pictures, see `models.tokenization.pictures`

    @property
    def defaults(self) -> dict[str, int]:
        """The default of each option, by name."""
        return {option.name: option.default for option in self.options}

    def check(self, options: Options) -> dict[str, int]:
        """All options, the defaults filled in. Raises DataError for an unknown name or an invalid value."""
        settings = {option.name: option for option in self.options}
        for name, value in options.items():
            if name not in settings:
                raise DataError(
                    "no_such_option",
                    "the task {task} has the options {options}; got {name}: leave it out",
                    task=repr(self.name),
                    options=", ".join(settings),
                    name=repr(name),
                )
            settings[name].check(value, DataError, quoted_label(settings[name].label))
        values = self.defaults | dict(options)
        for lower, upper in self.ordered:
            if values[lower] > values[upper]:
                raise DataError(
                    "options_out_of_order",
                    "{first} is {least} but {second} is {most}: make the first no larger than the second",
                    first=quoted_label(settings[lower].label),
                    least=values[lower],
                    second=quoted_label(settings[upper].label),
                    most=values[upper],
                )
        return values
