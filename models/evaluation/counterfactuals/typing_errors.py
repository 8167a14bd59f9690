"""Typing errors inside of words: a key beside the right one, two letters swapped, a letter missing.

The kinds of Belinkov and Bisk 2018, "Synthetic and natural noise both break neural machine translation",
section 4.2. First letters stay: typists seldom miss them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from random import Random
from typing import TypeAlias

from models.evaluation.counterfactuals.counterfactual import Change, Counterfactual, Edit, edited
from models.evaluation.counterfactuals.words import ALPHABETS, clusters, is_plain, words

SHORTEST = 3  # letters of a word that is mistyped
# The rows of the usual keyboard of each script, top first; a blank is a key of something else.
KEYBOARDS = {
    "LATIN": ("qwertyuiop", "asdfghjkl", "zxcvbnm"),
    "CYRILLIC": ("йцукенгшщзхъ", "фывапролджэ", "ячсмитьбю"),
    "GREEK": (" ςερτυθιοπ", "ασδφγηξκλ", "ζχψωβνμ"),
    "ARABIC": ("ضصثقفغعهخحجد", "شسيبلاتنمكط", "ئءؤر ىةوزظ"),
    "HEBREW": ("  קראטוןםפ", "שדגכעיחלךף", "זסבהנמצתץ"),
}
# All errors of a kind in a word of these letters: those from start to end become others.
Kind: TypeAlias = "Callable[[Sequence[str]], list[Edit]]"


def _neighbours() -> Mapping[str, str]:
    """The keys around each, by its letter."""
    around: dict[str, str] = {}
    for rows in KEYBOARDS.values():
        places = ((row, column, key) for row, line in enumerate(rows) for column, key in enumerate(line))
        keys = {(row, column): key for row, column, key in places if key != " "}
        for (row, column), key in keys.items():
            # Each row is shifted to the right by about half a key.
            beside = ((0, -1), (0, 1), (-1, 0), (-1, 1), (1, 0), (1, -1))
            around[key] = "".join(keys.get((row + down, column + right), "") for down, right in beside)
    return around


NEIGHBOURS = _neighbours()


def neighbouring_key(letters: Sequence[str]) -> list[Edit]:
    """A letter becomes one whose key is beside its own."""
    return [
        (i, i + 1, key.upper() if letters[i].isupper() else key)
        for i in range(1, len(letters))
        for key in NEIGHBOURS.get(letters[i].lower(), "")
    ]


def swapped_letters(letters: Sequence[str]) -> list[Edit]:
    """Two neighbouring letters that differ change places."""
    pairs = range(1, len(letters) - 1)
    return [(i, i + 2, letters[i + 1] + letters[i]) for i in pairs if letters[i] != letters[i + 1]]


def missing_letter(letters: Sequence[str]) -> list[Edit]:
    """A letter is left out."""
    return [(i, i + 1, "") for i in range(1, len(letters))]


def mistyped(text: str, rng: Random, *, kinds: Sequence[Kind], share: float = 0.0) -> Change | None:
    """One error in `share`, 0 to 1, of the words that can be mistyped, at least in one of them."""
    plain = [word for word in words(text) if word.script in ALPHABETS and is_plain(text, word)]
    spelt = [(word, clusters(word.of(text))) for word in plain]
    able = [
        (word, letters)
        for word, letters in spelt
        if len(letters) >= SHORTEST and any(kind(letters) for kind in kinds)
    ]
    if not able:
        return None
    chosen = rng.sample(able, max(1, math.ceil(share * len(able))))
    return edited(text, [(word.start, word.end, _misspelt(letters, rng, kinds)) for word, letters in chosen])


def _misspelt(letters: Sequence[str], rng: Random, kinds: Sequence[Kind]) -> str:
    errors = [result for kind in kinds if (result := kind(letters))]
    start, end, new = rng.choice(rng.choice(errors))
    return "".join((*letters[:start], new, *letters[end:]))


KINDS: tuple[Kind, ...] = (neighbouring_key, swapped_letters, missing_letter)
NEIGHBOURING_KEY = Counterfactual(
    "neighbouring-key",
    position=130,
    title="typing error: neighbouring key",
    sentence="One letter is that of a neighbouring key.",
    keeps_meaning=True,
    change=partial(mistyped, kinds=(neighbouring_key,)),
)
SWAPPED_LETTERS = Counterfactual(
    "swapped-letters",
    position=140,
    title="typing error: letters swapped",
    sentence="Two neighbouring letters of a word change places.",
    keeps_meaning=True,
    change=partial(mistyped, kinds=(swapped_letters,)),
)
MISSING_LETTER = Counterfactual(
    "missing-letter",
    position=150,
    title="typing error: letter missing",
    sentence="One letter of a word is missing.",
    keeps_meaning=True,
    change=partial(mistyped, kinds=(missing_letter,)),
)
TYPING_ERRORS = Counterfactual(
    "typing-errors",
    position=160,
    title="typing errors in every second word",
    sentence="Every second word has a typing error.",
    keeps_meaning=True,
    change=partial(mistyped, kinds=KINDS, share=0.5),
)
