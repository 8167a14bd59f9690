"""Strings of random letters, reversed, copied or sorted."""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Collection

from models.corpus.generated.task import GeneratedTask, Known, Options, option
from models.corpus.pairs import Pair

SHORTEST = option("shortest", "Shortest string", "Letters in the shortest string.", 1, 40, 1)
LONGEST = option("longest", "Longest string", "Letters in the longest string.", 1, 40, 12)
ALPHABET = option("alphabet", "Letters of the alphabet", "4 makes strings of a, b, c and d.", 1, 26, 26)


def _task(
    name: str, description: str, target: Callable[[str], str], relevant: Callable[[str, int], Collection[int]]
) -> GeneratedTask:
    """relevant: the places of the letters on which that at a place of the target hangs."""

    def make(rng: random.Random, options: Options) -> Pair:
        letters = string.ascii_lowercase[: options["alphabet"]]
        text = "".join(rng.choices(letters, k=rng.randint(options["shortest"], options["longest"])))
        return text, target(text)

    def known(rng: random.Random, options: Options) -> Known:
        source, written = make(rng, options)
        places = tuple(frozenset(relevant(source, index)) for index in range(len(written)))
        return Known(source, written, places)

    return GeneratedTask(
        name=name,
        title=name.capitalize(),
        description=description,
        tokenizer="character",
        example=("unrolled", target("unrolled")),
        options=(SHORTEST, LONGEST, ALPHABET),
        make=make,
        sources=_sources,
        ordered=(("shortest", "longest"),),
        known=known,
    )


def _sources(options: Options) -> int:
    lengths = range(options["shortest"], options["longest"] + 1)
    return sum(options["alphabet"] ** length for length in lengths)


REVERSAL = _task(
    "reversal",
    "Writes a string of letters backwards: attention must run against the text.",
    lambda x: x[::-1],
    lambda x, index: {len(x) - 1 - index},
)
COPY = _task(
    "copy",
    "Writes a string of letters again: attention must run along the text.",
    lambda x: x,
    lambda _, index: {index},
)
SORT = _task(
    "sort",
    "Writes the letters of a string in alphabetical order: each step must look at all of them.",
    lambda x: "".join(sorted(x)),
    lambda x, index: {place for place, letter in enumerate(x) if letter == sorted(x)[index]},
)
