"""The same words in another order; marks and spaces stay where they are."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from models.evaluation.counterfactuals.counterfactual import Counterfactual, apply_edits
from models.evaluation.counterfactuals.words import TextWord, words


def scramble_words(text: str, rng: Random) -> str | None:
    """Shuffle the words; None unless two of them differ."""
    text_words = words(text)
    before = [word.spelling(text) for word in text_words]
    if len(set(before)) < 2:
        return None
    after = rng.sample(before, len(before))
    if after == before:
        after = [*before[1:], before[0]]  # differs, since not all words are equal
    return _in_place(text, text_words, after)


def swap_neighbours(text: str, rng: Random) -> str | None:
    """Swap two neighbouring words; None unless two of them differ."""
    text_words = words(text)
    after = [word.spelling(text) for word in text_words]
    pairs = [i for i in range(len(after) - 1) if after[i] != after[i + 1]]
    if not pairs:
        return None
    i = rng.choice(pairs)
    after[i], after[i + 1] = after[i + 1], after[i]
    return _in_place(text, text_words, after)


def _in_place(text: str, text_words: Sequence[TextWord], after: Sequence[str]) -> str | None:
    pairs = zip(text_words, after, strict=True)
    return apply_edits(
        text, [(word.start, word.end, new) for word, new in pairs if word.spelling(text) != new]
    )


SCRAMBLED = Counterfactual(
    "scrambled",
    position=10,
    title="words scrambled",
    sentence="All words stand in a random order.",
    keeps_meaning=False,
    change=scramble_words,
)
NEIGHBOURS_SWAPPED = Counterfactual(
    "neighbours-swapped",
    position=20,
    title="two words swapped",
    sentence="Two neighbouring words change places.",
    keeps_meaning=True,  # readers still understand the sentence
    change=swap_neighbours,
)
