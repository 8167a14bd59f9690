"""Typing errors inside of words: a key beside the right one, two letters swapped, a letter missing.

The kinds of Belinkov and Bisk 2018, "Synthetic and natural noise both break neural machine translation".
First letters stay: typists seldom mistype them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from random import Random
from typing import TypeAlias

from models.evaluation.counterfactuals.counterfactual import Counterfactual, Edit, apply_edits
from models.evaluation.counterfactuals.words import ALPHABETIC_SCRIPTS, clusters, is_plain, words

MIN_MISTYPED_LETTERS = 3  # a shorter word is never mistyped
# The rows of a common keyboard for each script, top first; a blank is a key without a letter.
KEYBOARDS = {
    "LATIN": ("qwertyuiop", "asdfghjkl", "zxcvbnm"),
    "CYRILLIC": ("йцукенгшщзхъ", "фывапролджэ", "ячсмитьбю"),
    "GREEK": (" ςερτυθιοπ", "ασδφγηξκλ", "ζχψωβνμ"),
    "ARABIC": ("ضصثقفغعهخحجد", "شسيبلاتنمكط", "ئءؤر ىةوزظ"),
    "HEBREW": ("  קראטוןםפ", "שדגכעיחלךף", "זסבהנמצתץ"),
}
# A function that lists all errors of a kind in a word of these letters, as edits.
Kind: TypeAlias = "Callable[[Sequence[str]], list[Edit]]"


def _neighbours() -> Mapping[str, str]:
    """The letters on the neighbouring keys, by the letter of a key."""
    neighbours: dict[str, str] = {}
    for rows in KEYBOARDS.values():
        positions = ((row, column, key) for row, line in enumerate(rows) for column, key in enumerate(line))
        keys = {(row, column): key for row, column, key in positions if key != " "}
        for (row, column), key in keys.items():
            # Each row is shifted to the right by about half a key.
            offsets = ((0, -1), (0, 1), (-1, 0), (-1, 1), (1, 0), (1, -1))
            neighbours[key] = "".join(keys.get((row + down, column + right), "") for down, right in offsets)
    return neighbours


NEIGHBOURS = _neighbours()


def neighbouring_keys(letters: Sequence[str]) -> list[Edit]:
    """Replace a letter by one on a neighbouring key."""
    return [
        (i, i + 1, key.upper() if letters[i].isupper() else key)
        for i in range(1, len(letters))
        for key in NEIGHBOURS.get(letters[i].lower(), "")
    ]


def letter_swaps(letters: Sequence[str]) -> list[Edit]:
    """Swap two neighbouring letters that differ."""
    pairs = range(1, len(letters) - 1)
    return [(i, i + 2, letters[i + 1] + letters[i]) for i in pairs if letters[i] != letters[i + 1]]


def letter_omissions(letters: Sequence[str]) -> list[Edit]:
    """Leave out a letter."""
    return [(i, i + 1, "") for i in range(1, len(letters))]


def mistype(text: str, rng: Random, *, kinds: Sequence[Kind], share: float = 0.0) -> str | None:
    """Put one error into a share, 0 to 1, of the words that can be mistyped, at least into one."""
    candidates = [word for word in words(text) if word.script in ALPHABETIC_SCRIPTS and is_plain(text, word)]
    spelt = [(word, clusters(word.spelling(text))) for word in candidates]
    suitable = [
        (word, letters)
        for word, letters in spelt
        if len(letters) >= MIN_MISTYPED_LETTERS and any(kind(letters) for kind in kinds)
    ]
    if not suitable:
        return None
    sample = rng.sample(suitable, max(1, math.ceil(share * len(suitable))))
    return apply_edits(
        text, [(word.start, word.end, _misspelt(letters, rng, kinds)) for word, letters in sample]
    )


def _misspelt(letters: Sequence[str], rng: Random, kinds: Sequence[Kind]) -> str:
    errors = [edits for kind in kinds if (edits := kind(letters))]
    start, end, new = rng.choice(rng.choice(errors))
    return "".join((*letters[:start], new, *letters[end:]))


ERROR_KINDS: tuple[Kind, ...] = (neighbouring_keys, letter_swaps, letter_omissions)
NEIGHBOURING_KEY = Counterfactual(
    "neighbouring-key",
    130,
    "typing error: neighbouring key",
    "One letter is that of a neighbouring key.",
    partial(mistype, kinds=(neighbouring_keys,)),
)
SWAPPED_LETTERS = Counterfactual(
    "swapped-letters",
    140,
    "typing error: letters swapped",
    "Two neighbouring letters of a word change places.",
    partial(mistype, kinds=(letter_swaps,)),
)
MISSING_LETTER = Counterfactual(
    "missing-letter",
    150,
    "typing error: letter missing",
    "One letter of a word is missing.",
    partial(mistype, kinds=(letter_omissions,)),
)
TYPING_ERRORS = Counterfactual(
    "typing-errors",
    160,
    "typing errors in every second word",
    "Every second word has a typing error.",
    partial(mistype, kinds=ERROR_KINDS, share=0.5),
)
