"""Letters in another case, and without their accents, as in hasty typing."""

from __future__ import annotations

import unicodedata

from models.evaluation.counterfactuals.counterfactual import Counterfactual, edit_words
from models.evaluation.counterfactuals.words import clusters, is_accent, script

# In other scripts Unicode also decomposes letters into different letters, such as が into か.
ACCENTED_SCRIPTS = frozenset(("LATIN", "CYRILLIC", "GREEK", "ARABIC", "HEBREW"))
OTHER_LETTERS = frozenset("йЙ")  # many people write е for ё, but nobody writes и for й


def without_accents(word: str) -> str:
    """The word without its accents."""
    return "".join(map(_letter, clusters(word)))


def _letter(cluster: str) -> str:
    if script(cluster[0]) not in ACCENTED_SCRIPTS or unicodedata.normalize("NFC", cluster) in OTHER_LETTERS:
        return cluster
    decomposed = unicodedata.normalize("NFD", cluster)
    base = "".join(character for character in decomposed if not is_accent(character))
    return unicodedata.normalize("NFC", base)


LOWER_CASE = Counterfactual(
    "lower-case", 80, "lower case", "All letters are small.", lambda text, _: edit_words(text, str.lower)
)
UPPER_CASE = Counterfactual(
    "upper-case", 90, "upper case", "All letters are capitals.", lambda text, _: edit_words(text, str.upper)
)
ACCENTS_REMOVED = Counterfactual(
    "accents-removed",
    100,
    "accents removed",
    "Letters have lost their accents.",
    lambda text, _: edit_words(text, without_accents),
)
