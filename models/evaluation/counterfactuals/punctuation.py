"""Punctuation marks that are left out or replaced."""

from __future__ import annotations

import unicodedata
from random import Random

from models.evaluation.counterfactuals.counterfactual import Counterfactual, Edit, apply_edits
from models.evaluation.counterfactuals.words import TextWord, words

# Marks that can replace each other. A question mark has none: without it the meaning changes.
SIMILAR_MARKS = {
    ".": "!",
    "!": ".",
    ",": ";",
    ";": ",",
    ":": ";",
    "\u3002": "\uff01",  # Chinese and Japanese: full stop and exclamation mark
    "\uff01": "\u3002",
    "\uff0c": "\uff1b",  # comma and semicolon
    "\uff1b": "\uff0c",
    "\u3001": "\uff0c",  # the Chinese comma of lists, and the usual comma of Japanese
    "\uff1a": "\uff1b",
    "\u060c": "\u061b",  # Arabic: comma and semicolon
    "\u061b": "\u060c",
}
GREEK_QUESTION_MARK = ";"


def remove_punctuation(text: str, _: Random) -> str | None:
    """Remove all marks outside of words; a space replaces them if nothing else separates two words."""
    text_words = words(text)
    by_end, by_start = {word.end: word for word in text_words}, {word.start: word for word in text_words}
    return apply_edits(text, [_removal(text, mark, by_end, by_start) for mark in _runs(text, text_words)])


def change_punctuation(text: str, rng: Random) -> str | None:
    """Replace one mark by a similar one."""
    text_words = words(text)
    is_greek = any(word.script == "GREEK" for word in text_words)
    similar = {
        mark: replacement
        for mark, replacement in SIMILAR_MARKS.items()
        if not is_greek or GREEK_QUESTION_MARK not in (mark, replacement)
    }
    marks = [index for run in _runs(text, text_words) for index in range(*run) if text[index] in similar]
    if not marks:
        return None
    index = rng.choice(marks)
    return apply_edits(text, [(index, index + 1, similar[text[index]])])


def _runs(text: str, text_words: list[TextWord]) -> list[tuple[int, int]]:
    """Start and end of each run of marks outside of words."""
    starts, ends = [word.start for word in text_words], [word.end for word in text_words]
    gaps = zip([0, *ends], [*starts, len(text)], strict=True)
    indices = (index for start, end in gaps for index in range(start, end))
    runs: list[tuple[int, int]] = []
    for index in indices:
        if not unicodedata.category(text[index]).startswith("P"):
            continue
        if runs and runs[-1][1] == index:
            runs[-1] = (runs[-1][0], index + 1)
        else:
            runs.append((index, index + 1))
    return runs


def _removal(
    text: str, mark: tuple[int, int], by_end: dict[int, TextWord], by_start: dict[int, TextWord]
) -> Edit:
    start, end = mark
    word_before, word_after = by_end.get(start), by_start.get(end)
    if word_before and word_after and word_before.spaced and word_after.spaced:
        return start, end, " "
    # A dash between two spaces, or a mark at the start of a text, leaves one space too many.
    extra_space = (start == 0 or text[start - 1].isspace()) and text[end : end + 1].isspace()
    return start, end + extra_space, ""


PUNCTUATION_REMOVED = Counterfactual(
    "punctuation-removed", 110, "punctuation removed", "The text has no punctuation.", remove_punctuation
)
PUNCTUATION_CHANGED = Counterfactual(
    "punctuation-changed",
    120,
    "punctuation changed",
    "One punctuation mark becomes a similar one.",
    change_punctuation,
)
