"""What a generated task is: a name, its difficulty as whole numbers, and a function that makes pairs."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from models.corpus.pairs import DataError, Pair
from models.errors import not_whole_within, quoted

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
    # The places in a source, in characters from 0, on which the character at a place of its right output
    # hangs; None where that is not as simple.
    relevant: Callable[[str, int], Collection[int]] | None = None
    has_pictures: bool = False  # the sources are pictures, see `models.tokenization.pictures`

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
                    "no_such_option",
                    "the task {task} has the options {options}; got {name}: leave it out",
                    task=repr(self.name),
                    options=", ".join(known),
                    name=repr(name),
                )
            low, high = known[name].low, known[name].high
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise DataError(not_whole_within(quoted(known[name].label), low, high, value))
        values = self.defaults | dict(options)
        for least, most in self.ordered:
            if values[least] > values[most]:
                raise DataError(
                    "options_out_of_order",
                    "{first} is {least} but {second} is {most}: make the first no larger than the second",
                    first=quoted(known[least].label),
                    least=values[least],
                    second=quoted(known[most].label),
                    most=values[most],
                )
        return values
