"""Histories of reinforcement learning, "s0 a2 s1 a0 s2", to be reproduced as by an autoencoder.

A history begins with a state and goes on for 0 to `horizon` steps, each an action and the state it led to.
"""

from __future__ import annotations

import random

from models.corpus.generated.task import AlignedPair, GeneratedTask, Options, option
from models.corpus.pairs import Pair


def _make(rng: random.Random, options: Options) -> Pair:
    tokens = [f"s{rng.randrange(options['states'])}"]
    for _ in range(rng.randint(0, options["horizon"])):
        tokens += [f"a{rng.randrange(options['actions'])}", f"s{rng.randrange(options['states'])}"]
    history = " ".join(tokens)
    return history, history


def _aligned_pair(rng: random.Random, options: Options) -> AlignedPair:
    history, copy = _make(rng, options)
    return AlignedPair(history, copy, tuple(frozenset({index}) for index in range(len(copy.split()))))


def _sources(options: Options) -> int:
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
    make=_make,
    sources=_sources,
    aligned=_aligned_pair,
)
