"""Where the words of a text stand, in any script.

A word is a run of letters and digits with their accents. Where a script writes no spaces, it is a character
(Han, Hiragana, Thai) or a run of Katakana, which mostly spells one foreign word.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import NamedTuple

DIGIT = "DIGIT"
BY_CHARACTER = frozenset(("CJK", "HIRAGANA", "THAI", "LAO", "KHMER", "MYANMAR", "BOPOMOFO"))
UNSPACED = BY_CHARACTER | {"KATAKANA"}
# Their letters are typed one by one, and a word of them can be misspelt.
ALPHABETS = frozenset(("LATIN", "CYRILLIC", "GREEK", "ARABIC", "HEBREW", "ARMENIAN", "GEORGIAN"))
APOSTROPHES = "'’"
_BETWEEN_LETTERS = frozenset("'’-\u2010\u200c\u200d·")  # two of them without width
_BETWEEN_DIGITS = frozenset(".,:")


class Word(NamedTuple):
    """Where a word stands and what it is written in."""

    start: int
    end: int
    script: str  # of its first letter: the first word of its Unicode name; DIGIT if it has none

    def of(self, text: str) -> str:
        """The word itself."""
        return text[self.start : self.end]

    @property
    def spaced(self) -> bool:
        """Whether its script parts words by spaces."""
        return self.script not in UNSPACED


@lru_cache(maxsize=4096)
def script(character: str) -> str:
    """LATIN, CYRILLIC, CJK and so on; DIGIT for decimals, "" for what has no name."""
    if character.isdecimal():
        return DIGIT
    name = unicodedata.name(character, "").removeprefix("FULLWIDTH ").removeprefix("HALFWIDTH ")
    return name.split(maxsplit=1)[0].removesuffix("-HIRAGANA") if name else ""


def words(text: str) -> list[Word]:
    """All of a text, in order."""
    result: list[Word] = []
    place = 0
    while place < len(text):
        if not text[place].isalnum():
            place += 1
            continue
        word = _word(text, place)
        result.append(word)
        place = word.end
    return result


def clusters(word: str) -> list[str]:
    """Its letters, each with the accents that follow it."""
    result: list[str] = []
    for character in word:
        if result and is_accent(character):
            result[-1] += character
        else:
            result.append(character)
    return result


def is_accent(character: str) -> bool:
    """Whether it belongs to the letter before it."""
    return unicodedata.category(character).startswith("M")


def is_plain(text: str, word: Word) -> bool:
    """Whether it is made of letters of its script alone: no digit, hyphen or apostrophe."""
    letters = (character for character in word.of(text) if not is_accent(character))
    return all(character.isalpha() and script(character) == word.script for character in letters)


def _word(text: str, start: int) -> Word:
    """The word that begins here."""
    own, end = script(text[start]), start + 1
    while end < len(text):
        here = text[end]
        if here.isalnum():
            theirs = script(here)
            alone = own in BY_CHARACTER or theirs in BY_CHARACTER
            if alone or (own in UNSPACED) != (theirs in UNSPACED):
                break
            own = theirs if own == DIGIT else own
        elif not is_accent(here) and (own in UNSPACED or not _joins(text, end)):
            break
        end += 1
    return Word(start, end, own)


def _joins(text: str, place: int) -> bool:
    """Whether a mark stands inside of a word: don't, 3.5."""
    left, right = text[place - 1], text[place + 1 : place + 2]
    if text[place] in _BETWEEN_DIGITS:
        return left.isdecimal() and right.isdecimal()
    if text[place] not in _BETWEEN_LETTERS or not right.isalpha() or script(right) in UNSPACED:
        return False
    return left.isalpha() or is_accent(left)
