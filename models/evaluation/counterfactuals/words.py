"""The words of a text in any script, with their positions.

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
# Scripts whose letters are typed one by one, so that words can be misspelt.
ALPHABETS = frozenset(("LATIN", "CYRILLIC", "GREEK", "ARABIC", "HEBREW", "ARMENIAN", "GEORGIAN"))
APOSTROPHES = "'’"
_BETWEEN_LETTERS = frozenset("'’-\u2010\u200c\u200d·")  # two have no width
_BETWEEN_DIGITS = frozenset(".,:")


class TextWord(NamedTuple):
    """The position and the script of a word."""

    start: int
    end: int
    script: str  # the script of its first letter: the first word of its Unicode name; DIGIT if it has none

    def of(self, text: str) -> str:
        """The word itself."""
        return text[self.start : self.end]

    @property
    def spaced(self) -> bool:
        """Whether its script separates words by spaces."""
        return self.script not in UNSPACED


@lru_cache(maxsize=4096)
def script(character: str) -> str:
    """LATIN, CYRILLIC, CJK and so on; DIGIT for decimals, "" for a character without a name."""
    if character.isdecimal():
        return DIGIT
    name = unicodedata.name(character, "").removeprefix("FULLWIDTH ").removeprefix("HALFWIDTH ")
    return name.split(maxsplit=1)[0].removesuffix("-HIRAGANA") if name else ""


def words(text: str) -> list[TextWord]:
    """The words of a text, in order."""
    text_words: list[TextWord] = []
    index = 0
    while index < len(text):
        if not text[index].isalnum():
            index += 1
            continue
        word = _word(text, index)
        text_words.append(word)
        index = word.end
    return text_words


def clusters(word: str) -> list[str]:
    """The letters of a word, each with the accents that follow it."""
    letters: list[str] = []
    for character in word:
        if letters and is_accent(character):
            letters[-1] += character
        else:
            letters.append(character)
    return letters


def is_accent(character: str) -> bool:
    """Whether a character is an accent of the letter before it."""
    return unicodedata.category(character).startswith("M")


def is_plain(text: str, word: TextWord) -> bool:
    """Whether a word has only letters of its script: no digit, hyphen or apostrophe."""
    letters = (character for character in word.of(text) if not is_accent(character))
    return all(character.isalpha() and script(character) == word.script for character in letters)


def _word(text: str, start: int) -> TextWord:
    """The word that begins at an index."""
    word_script, end = script(text[start]), start + 1
    while end < len(text):
        here = text[end]
        if here.isalnum():
            other = script(here)
            alone = word_script in BY_CHARACTER or other in BY_CHARACTER
            if alone or (word_script in UNSPACED) != (other in UNSPACED):
                break
            word_script = other if word_script == DIGIT else word_script
        elif not is_accent(here) and (word_script in UNSPACED or not _joins(text, end)):
            break
        end += 1
    return TextWord(start, end, word_script)


def _joins(text: str, index: int) -> bool:
    """Whether a mark stands inside a word: don't, 3.5."""
    left, right = text[index - 1], text[index + 1 : index + 2]
    if text[index] in _BETWEEN_DIGITS:
        return left.isdecimal() and right.isdecimal()
    if text[index] not in _BETWEEN_LETTERS or not right.isalpha() or script(right) in UNSPACED:
        return False
    return left.isalpha() or is_accent(left)
