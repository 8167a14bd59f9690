"""Letters without their accents, as in hasty typing."""

from __future__ import annotations

import unicodedata
from random import Random

from models.evaluation.counterfactuals.counterfactual import Change, Counterfactual, edit_words
from models.evaluation.counterfactuals.words import clusters, is_accent, script

# In other scripts Unicode also decomposes letters into different letters, such as が into か.
ACCENTED_SCRIPTS = frozenset(("LATIN", "CYRILLIC", "GREEK", "ARABIC", "HEBREW"))
OTHER_LETTERS = frozenset("йЙ")  # many people write е for ё, but nobody writes и for й


def remove_accents(text: str, _: Random) -> Change | None:
    """Remove all accents; None if the text has none."""
    return edit_words(text, _without_accents)


def _without_accents(word: str) -> str:
    return "".join(_letter(cluster) for cluster in clusters(word))


def _letter(cluster: str) -> str:
    if script(cluster[0]) not in ACCENTED_SCRIPTS or unicodedata.normalize("NFC", cluster) in OTHER_LETTERS:
        return cluster
    decomposed = unicodedata.normalize("NFD", cluster)
    base = "".join(character for character in decomposed if not is_accent(character))
    return unicodedata.normalize("NFC", base)


ACCENTS_REMOVED = Counterfactual(
    "accents-removed",
    position=100,
    title="accents removed",
    sentence="Letters have lost their accents.",
    keeps_meaning=True,
    change=remove_accents,
)
