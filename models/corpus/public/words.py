"""Words with their pronunciations, and words of names in two scripts, from the lines of their files."""

from __future__ import annotations

import re
import unicodedata

from models.corpus.public.cleaning import Cleaner

_ENTRY_LINE = re.compile(r"(\S+?)(?:\(\d+\))? ((?:[A-Z]{1,2}[0-2]? ?)+)")
_COMMENT = re.compile(r"\s*#.*")
_LOWER_CASE_WORD = re.compile("[a-z']+")
_STRESS_DIGIT = re.compile("[0-2]")
_LATIN_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*'?|'[^\W\d_]+")
_KANA_WORD = re.compile("[ァ-ヴー]+")
_NO_SYLLABLE = frozenset("ァィゥェォャュョッヮー")  # these characters add no syllable
MIN_LETTERS, MAX_LETTERS = 0.8, 5.0  # Latin letters per syllable of kana


def clean_pronunciations(text: str, name: str) -> Cleaner:
    """Lines of a word, its phonemes in ARPAbet with stress digits, and perhaps a comment.

    Further pronunciations stand on lines of their own, as `word(2)`; they become further pairs.
    """
    cleaner = Cleaner(name)
    for line in cleaner.rows(text):
        if line.startswith(";;;"):
            continue
        entry = _ENTRY_LINE.fullmatch(_COMMENT.sub("", line).rstrip())
        if entry is None:
            cleaner.count_malformed(line, "a word, a space and its phonemes")
            continue
        word, phonemes = entry.groups()
        if not _LOWER_CASE_WORD.fullmatch(word):
            cleaner.drop("a word with a digit, a dot or a hyphen")
        elif len(word) == 1:
            cleaner.drop("a single letter")
        else:
            cleaner.add((word, _STRESS_DIGIT.sub("", phonemes)))
    return cleaner


def pronunciation_key(word: str) -> str:
    """The word without an apostrophe at its end: boys and boys' are one word."""
    return word.strip("'")


def clean_transliterations(text: str, name: str) -> Cleaner:
    """Lines of a Latin word, katakana with spaces between, and a count, with tabs between."""
    cleaner = Cleaner(name)
    for line in cleaner.rows(text):
        columns = line.split("\t")
        if len(columns) != 3 or not columns[2].strip().isdecimal() or not all(columns[:2]):
            cleaner.count_malformed(line, "a word, katakana with spaces between, and a count")
            continue
        latin = unicodedata.normalize("NFC", columns[0].strip()).lower()
        kana = unicodedata.normalize("NFC", "".join(columns[1].split()))
        if not _is_latin(latin) or not _KANA_WORD.fullmatch(kana):
            cleaner.drop("other characters")
        elif min(len(latin), len(kana)) == 1:
            cleaner.drop("a single character")
        elif not MIN_LETTERS <= len(latin) / max(1, syllables(kana)) <= MAX_LETTERS:
            cleaner.drop("lengths that do not fit")
        else:
            cleaner.add((latin, kana))
    return cleaner


def syllables(kana: str) -> int:
    """The number of syllables of a text in katakana; n counts as one."""
    return sum(character not in _NO_SYLLABLE for character in kana)


def _is_latin(word: str) -> bool:
    letters = (character for character in word if character != "'")
    return bool(_LATIN_WORD.fullmatch(word)) and all(
        "LATIN" in unicodedata.name(character, "") for character in letters
    )
