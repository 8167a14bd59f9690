"""Doubts about a reference that its text alone raises: it copies the source, or is in the source's script.

Numbers and strings only: no tensor, no torch.
"""

from __future__ import annotations

import unicodedata
from collections import Counter

from models.errors import Message

COPIED_CHRF = 80.0  # a reference with this chrF against its source counts as not translated
MIN_LETTERS_FOR_SCRIPT = 4  # fewer letters do not show the script of a text
EAST_ASIAN = frozenset({"CJK", "HIRAGANA", "KATAKANA"})
KNOWN_SCRIPTS = EAST_ASIAN | {"LATIN", "CYRILLIC", "GREEK", "ARABIC", "HEBREW", "HANGUL", "DEVANAGARI"}


def doubt_of_text(source: str, reference: str, output: str, copied: float) -> Message | None:
    """Return the doubt about the reference of a translation, if there is one.

    `copied` is the chrF of the reference against the source, 0 to 100.
    """
    if copied >= COPIED_CHRF and len(source) >= MIN_LETTERS_FOR_SCRIPT:
        return Message(
            "reference_is_copy",
            "The reference is the source itself, or nearly: chrF {chrf}.",
            chrf=f"{copied:.0f}",
        )
    expected, actual = script(output), script(reference)
    if expected and actual and expected != actual and actual == script(source):
        return Message(
            "reference_not_translated",
            "The reference is in the script of the source, not in that of the output.",
        )
    return None


def script(text: str) -> str:
    """The script of most letters; "" for a text with few letters."""
    names = (unicodedata.name(letter, "").split() for letter in text if letter.isalpha())
    counts = Counter(name[0] for name in names if name and name[0] in KNOWN_SCRIPTS)
    if sum(counts.values()) < MIN_LETTERS_FOR_SCRIPT:
        return ""
    frequent = counts.most_common(1)[0][0]
    return "CJK" if frequent in EAST_ASIAN else frequent
