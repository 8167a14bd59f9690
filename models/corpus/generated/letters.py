"""Random letters, reversed, copied or sorted; histories of reinforcement learning, reproduced as they are."""

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


def _make_history(rng: random.Random, options: Options) -> Pair:
    """A state, then 0 to `horizon` steps, each an action and the state it led to."""
    tokens = [f"s{rng.randrange(options['states'])}"]
    for _ in range(rng.randint(0, options["horizon"])):
        tokens += [f"a{rng.randrange(options['actions'])}", f"s{rng.randrange(options['states'])}"]
    history = " ".join(tokens)
    return history, history


def _aligned_history(rng: random.Random, options: Options) -> AlignedPair:
    history, copy = _make_history(rng, options)
    return AlignedPair(history, copy, tuple(frozenset({index}) for index in range(len(copy.split()))))


def _possible_histories(options: Options) -> int:
    step = options["actions"] * options["states"]
    return sum(options["states"] * step**steps for steps in range(options["horizon"] + 1))


HISTORIES = GeneratedTask(
    name="histories",
    title="State-action histories",
    description="Reads a history of states and actions and writes it again.",
    tokenizer="word",
    example=("s0 a2 s1 a0 s2", "s0 a2 s1 a0 s2"),
    options=(
        option("states", "States", "How many different states there are.", 1, 20, 3),
        option("actions", "Actions", "How many different actions there are.", 1, 20, 3),
        option("horizon", "Horizon", "The most steps, each an action and a state.", 1, 20, 2),
    ),
    make=_make_history,
    sources=_possible_histories,
    aligned=_aligned_history,
)
