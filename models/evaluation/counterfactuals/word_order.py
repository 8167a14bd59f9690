"""The words in another order, with marks and spaces where they were; one word less, or twice."""

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
    10,
    "words scrambled",
    "All words stand in a random order.",
    scramble_words,
    keeps_meaning=False,
)
NEIGHBOURS_SWAPPED = Counterfactual(
    "neighbours-swapped", 20, "two words swapped", "Two neighbouring words change places.", swap_neighbours
)


def drop_word(text: str, rng: Random) -> str | None:
    """Remove a word and the space beside it; None for a text of one word."""
    text_words = words(text)
    if len(text_words) < 2:
        return None
    start, end, _ = rng.choice(text_words)
    before, after = text[:start], text[end:]
    space_before = start - len(before.rstrip())
    space_after = 0 if space_before else len(after) - len(after.lstrip())
    spaces = ((start - space_before, start, ""), (end, end + space_after, ""))
    return apply_edits(text, ((start, end, ""), *(space for space in spaces if space[0] < space[1])))


def double_word(text: str, rng: Random) -> str | None:
    """Write a word twice; None for a text of one word."""
    text_words = words(text)
    if len(text_words) < 2:
        return None
    word = rng.choice(text_words)
    doubled_word = (" " if word.spaced else "").join([word.spelling(text)] * 2)
    return apply_edits(text, [(word.start, word.end, doubled_word)])


DROPPED = Counterfactual(
    "dropped", 30, "word dropped", "One word is missing.", drop_word, keeps_meaning=False
)
DOUBLED = Counterfactual("doubled", 40, "word doubled", "One word occurs twice.", double_word)
