"""Marks that are left out, or others in their place."""

from __future__ import annotations

import unicodedata
from random import Random

from models.evaluation.counterfactuals.counterfactual import Change, Counterfactual, Edit, edited
from models.evaluation.counterfactuals.words import Word, words

# Marks between which writers waver. A question mark is none of them: without it, it is another sentence.
LIKE = {
    ".": "!",
    "!": ".",
    ",": ";",
    ";": ",",
    ":": ";",
    "\u3002": "\uff01",  # Chinese and Japanese: full stop and exclamation mark
    "\uff01": "\u3002",
    "\uff0c": "\uff1b",  # comma and semicolon
    "\uff1b": "\uff0c",
    "\u3001": "\uff0c",  # the comma of lists, which is any comma in Japanese
    "\uff1a": "\uff1b",
    "\u060c": "\u061b",  # Arabic: comma and semicolon
    "\u061b": "\u060c",
}
ASKS_IN_GREEK = ";"


def punctuation_removed(text: str, _: Random) -> Change | None:
    """All marks outside of words go; a space keeps words apart that nothing else does."""
    result = words(text)
    closed, opened = {word.end: word for word in result}, {word.start: word for word in result}
    return edited(text, [_without(text, mark, closed, opened) for mark in _runs(text, result)])


def punctuation_changed(text: str, rng: Random) -> Change | None:
    """One mark becomes one of a like kind."""
    result = words(text)
    like = LIKE
    if any(word.script == "GREEK" for word in result):
        like = {old: new for old, new in LIKE.items() if ASKS_IN_GREEK not in (old, new)}
    places = [place for run in _runs(text, result) for place in range(*run) if text[place] in like]
    if not places:
        return None
    place = rng.choice(places)
    return edited(text, [(place, place + 1, like[text[place]])])


def _runs(text: str, found: list[Word]) -> list[tuple[int, int]]:
    """Where marks stand side by side, outside of words."""
    gaps = zip([0, *(word.end for word in found)], [*(word.start for word in found), len(text)], strict=True)
    places = (i for start, end in gaps for i in range(start, end))
    runs: list[tuple[int, int]] = []
    for place in places:
        if not unicodedata.category(text[place]).startswith("P"):
            continue
        if runs and runs[-1][1] == place:
            runs[-1] = (runs[-1][0], place + 1)
        else:
            runs.append((place, place + 1))
    return runs


def _without(text: str, mark: tuple[int, int], closed: dict[int, Word], opened: dict[int, Word]) -> Edit:
    start, end = mark
    left, right = closed.get(start), opened.get(end)
    if left and right and left.spaced and right.spaced:
        return start, end, " "
    # A dash between two spaces, or before the first of a text, would leave one too many.
    spare = (start == 0 or text[start - 1].isspace()) and text[end : end + 1].isspace()
    return start, end + spare, ""


PUNCTUATION_REMOVED = Counterfactual(
    "punctuation-removed",
    position=110,
    title="punctuation removed",
    sentence="The text has no punctuation.",
    keeps_meaning=True,
    change=punctuation_removed,
)
PUNCTUATION_CHANGED = Counterfactual(
    "punctuation-changed",
    position=120,
    title="punctuation changed",
    sentence="One punctuation mark becomes a similar one.",
    keeps_meaning=True,
    change=punctuation_changed,
)
