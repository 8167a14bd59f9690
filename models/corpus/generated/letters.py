"""Strings of random letters, reversed, copied or sorted."""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Collection

from models.corpus.generated.task import AlignedPair, GeneratedTask, Options, option
from models.corpus.pairs import Pair

SHORTEST_OPTION = option("shortest", "Shortest string", "Letters in the shortest string.", 1, 40, 1)
LONGEST_OPTION = option("longest", "Longest string", "Letters in the longest string.", 1, 40, 12)
ALPHABET_OPTION = option(
    "alphabet", "Letters of the alphabet", "4 makes strings of a, b, c and d.", 1, 26, 26
)


def _task(
    name: str, description: str, target: Callable[[str], str], relevant: Callable[[str, int], Collection[int]]
) -> GeneratedTask:
    """A task on strings of letters.

    `target` makes the target of a source. `relevant` takes a source and the index of a letter in its target,
    and returns the indices of the source's letters that this letter depends on.
    """

    def make(rng: random.Random, options: Options) -> Pair:
        letters = string.ascii_lowercase[: options["alphabet"]]
        text = "".join(rng.choices(letters, k=rng.randint(options["shortest"], options["longest"])))
        return text, target(text)

    def aligned_pair(rng: random.Random, options: Options) -> AlignedPair:
        source, target_text = make(rng, options)
        relevant_indices = tuple(frozenset(relevant(source, index)) for index in range(len(target_text)))
        return AlignedPair(source, target_text, relevant_indices)

    return GeneratedTask(
        name=name,
        title=name.capitalize(),
        description=description,
        tokenizer="character",
        example=("unrolled", target("unrolled")),
        options=(SHORTEST_OPTION, LONGEST_OPTION, ALPHABET_OPTION),
        make=make,
        sources=_sources,
        ordered=(("shortest", "longest"),),
        aligned=aligned_pair,
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
    lambda x, index: {position for position, letter in enumerate(x) if letter == sorted(x)[index]},
)
