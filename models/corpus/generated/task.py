"""What a generated task is: a name, its difficulty as whole numbers, and a function that makes pairs."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from models.corpus.pairs import DataError, Pair
from models.errors import quoted
from models.setting import Setting

Options = Mapping[str, int]


def option(name: str, label: str, help: str, low: int, high: int, default: int) -> Setting:
    """One setting of difficulty, a whole number."""
    return Setting(label, help, low, high, name=name, default=default)


@dataclass(frozen=True)
class Known:
    """A pair of which it is known what its output hangs on."""

    source: str
    target: str
    # For each token of the target the places in the source, its tokens or a picture's pixels from 0; none
    # where it hangs on no part of the source more than on another.
    relevant: tuple[frozenset[int], ...]


@dataclass(frozen=True)
class GeneratedTask:
    """A task, what it can be set to, and how a pair of it is made."""

    name: str
    title: str
    description: str  # one sentence
    tokenizer: Literal["character", "word"]  # the kind that fits; of a picture, its caption
    example: Pair  # with the default options
    options: tuple[Setting, ...]
    make: Callable[[random.Random, Options], Pair]  # from options that `check` has let pass
    sources: Callable[[Options], int]  # how many different sources there are
    ordered: tuple[tuple[str, str], ...] = ()  # options of which the first must not exceed the second
    metric: str = "exact_match"
    # A pair as `make` makes it, with what its output hangs on; None where nobody can say that.
    known: Callable[[random.Random, Options], Known] | None = None
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
            known[name].check(value, DataError, quoted(known[name].label))
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
