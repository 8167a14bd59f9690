"""The words of a text in any script, with their positions.

A word is a run of letters and digits with their accents. In a script without spaces it is one character (Han,
Hiragana, Thai) or a run of Katakana, since a run usually spells one foreign word.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import NamedTuple

DIGIT_SCRIPT = "DIGIT"
ONE_CHARACTER_SCRIPTS = frozenset(("CJK", "HIRAGANA", "THAI", "LAO", "KHMER", "MYANMAR", "BOPOMOFO"))
UNSPACED_SCRIPTS = ONE_CHARACTER_SCRIPTS | {"KATAKANA"}
# Scripts whose letters are typed one by one, so their words can be misspelt.
ALPHABETIC_SCRIPTS = frozenset(("LATIN", "CYRILLIC", "GREEK", "ARABIC", "HEBREW", "ARMENIAN", "GEORGIAN"))
APOSTROPHES = "'’"
_BETWEEN_LETTERS = frozenset("'’-\u2010\u200c\u200d·")  # \u200c and \u200d: zero-width non-joiner and joiner
_BETWEEN_DIGITS = frozenset(".,:")


class TextWord(NamedTuple):
    """The position and the script of a word."""

    start: int
    end: int
    script: str  # the script of its first letter, see `script`; DIGIT_SCRIPT if it has no letter

    def spelling(self, text: str) -> str:
        """The word itself."""
        return text[self.start : self.end]

    @property
    def spaced(self) -> bool:
        """Whether its script separates words by spaces."""
        return self.script not in UNSPACED_SCRIPTS


@lru_cache(maxsize=4096)
def script(character: str) -> str:
    """The script of a character, by its Unicode name: "LATIN", "CYRILLIC", "CJK" and so on.

    DIGIT_SCRIPT for decimals, "" for a character without a name.
    """
    if character.isdecimal():
        return DIGIT_SCRIPT
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
    letters = (character for character in word.spelling(text) if not is_accent(character))
    return all(character.isalpha() and script(character) == word.script for character in letters)


def _word(text: str, start: int) -> TextWord:
    """The word that begins at an index."""
    word_script, end = script(text[start]), start + 1
    while end < len(text):
        character = text[end]
        if character.isalnum():
            other = script(character)
            is_separate = word_script in ONE_CHARACTER_SCRIPTS or other in ONE_CHARACTER_SCRIPTS
            if is_separate or (word_script in UNSPACED_SCRIPTS) != (other in UNSPACED_SCRIPTS):
                break
            word_script = other if word_script == DIGIT_SCRIPT else word_script
        elif not is_accent(character) and (word_script in UNSPACED_SCRIPTS or not _joins(text, end)):
            break
        end += 1
    return TextWord(start, end, word_script)


def _joins(text: str, index: int) -> bool:
    """Whether a mark stands inside a word: don't, 3.5."""
    left, right = text[index - 1], text[index + 1 : index + 2]
    if text[index] in _BETWEEN_DIGITS:
        return left.isdecimal() and right.isdecimal()
    if text[index] not in _BETWEEN_LETTERS or not right.isalpha() or script(right) in UNSPACED_SCRIPTS:
        return False
    return left.isalpha() or is_accent(left)
