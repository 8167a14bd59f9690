"""A text without one of its words, or with one of them twice."""

from __future__ import annotations

from random import Random

from models.evaluation.counterfactuals.counterfactual import Counterfactual, apply_edits
from models.evaluation.counterfactuals.words import words


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
    "dropped",
    position=30,
    title="word dropped",
    sentence="One word is missing.",
    keeps_meaning=False,
    change=drop_word,
)
DOUBLED = Counterfactual(
    "doubled", position=40, title="word doubled", sentence="One word occurs twice.", change=double_word
)
