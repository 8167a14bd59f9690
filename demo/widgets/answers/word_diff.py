"""The words of a text that differ from a reference, one by one or in runs, without torch and Gradio."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby, zip_longest
from typing import Literal

Kind = Literal["same", "changed", "added", "missing"]
RunKind = Literal["same", "added", "removed"]
# Scripts without spaces, whose characters each count as a word: kana, Han and its marks.
UNSPACED = re.compile(
    "[\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003ffff]"
)
JOINERS = "'’-"  # inside a word they belong to it
INVISIBLE = "\u00ad\u200c\u200d"  # soft hyphen, zero-width non-joiner and joiner: so do these
SKIN_TONES = re.compile("[\U0001f3fb-\U0001f3ff]")


@dataclass(frozen=True)
class DiffWord:
    """A word, with the space before it."""

    text: str  # a word of the other text, or of the reference if it is missing
    kind: Kind
    was: str = ""  # the word of the reference, for a changed word


def split_words(text: str) -> tuple[str, ...]:
    """Split a text into words, marks and unspaced characters, each with the space before it.

    Joined they give the text again, except for the width of spaces and spaces at the ends.
    """
    words: list[str] = []
    space = ""
    for position, character in enumerate(text):
        if character.isspace():
            space = " "
        elif words and not space and _belongs(text, position):
            words[-1] += character
        else:
            words.append(space + character if words else character)
            space = ""
    return tuple(words)


def word_diff(reference: Sequence[str], other: Sequence[str]) -> tuple[DiffWord, ...]:
    """The words of `other` in order, and between them those of `reference` that it lacks.

    Words are compared without the space before them; replaced words are paired in order.
    """
    matcher = SequenceMatcher(a=_comparable_words(reference), b=_comparable_words(other), autojunk=False)
    return tuple(
        piece
        for kind, start, end, begin, stop in matcher.get_opcodes()
        for piece in _pieces(kind == "equal", reference[start:end], other[begin:stop], first=not begin)
    )


def token_divergence(a: Sequence[Hashable], b: Sequence[Hashable]) -> int | None:
    """The first index, from 0, at which two sequences differ, the shorter's length included; or None."""
    absent = object()
    pairs = enumerate(zip_longest(a, b, fillvalue=absent))
    return next((index for index, (one, other) in pairs if one != other), None)


def _belongs(text: str, position: int) -> bool:
    """Whether a character belongs to the same word as the character before it, which is not a space."""
    character, before = text[position], text[position - 1]
    if unicodedata.category(character) in {"Mn", "Mc", "Me", "Cf"} or SKIN_TONES.match(character):
        return True
    if before == "\u200d":  # joins any two characters
        return True
    if UNSPACED.match(character):
        return False
    if character in JOINERS:
        return _in_word(before) and position + 1 < len(text) and _in_word(text[position + 1])
    if before in JOINERS:
        return _in_word(character) and position > 1 and _in_word(text[position - 2])
    return _in_word(character) and _in_word(before)


def _in_word(character: str) -> bool:
    letter = unicodedata.category(character)[0] in "LNM" or character == "_" or character in INVISIBLE
    return letter and not UNSPACED.match(character)


def _comparable_words(words: Sequence[str]) -> list[str]:
    return [unicodedata.normalize("NFC", word.strip()) for word in words]


def _pieces(same: bool, reference: Sequence[str], other: Sequence[str], *, first: bool) -> Iterator[DiffWord]:
    """Yield the words of a run of equal or different words; `first`: the run begins `other`."""
    for was, now in zip_longest(reference, other):
        if now is None:
            yield DiffWord(was, "missing")
        elif was is None:
            yield DiffWord(now, "added")
        elif same:
            # A first word has no space before it, and needs one behind a word that is missing there.
            lacks_space = first and was.startswith(" ") and not now.startswith(" ")
            yield DiffWord(f" {now}" if lacks_space else now, "same")
            first = False
        else:
            yield DiffWord(now, "changed", was.strip())


def diff_parts(baseline: str, text: str) -> list[tuple[RunKind, str]]:
    """Runs of words in both texts, only in `text`, or only in the baseline, in reading order.

    A run starts with the space before it.
    """
    runs: list[tuple[RunKind, str]] = []
    pieces = word_diff(split_words(baseline), split_words(text))
    for is_same, group in groupby(pieces, key=lambda piece: piece.kind == "same"):
        words = tuple(group)
        now = "".join(word.text for word in words if word.kind != "missing")
        if is_same:
            runs.append(("same", now))
        else:
            both: tuple[tuple[RunKind, str], ...] = (
                ("removed", "".join(map(_before, words))),
                ("added", now),
            )
            runs.extend((kind, run) for kind, run in both if run)
    return runs


def _before(word: DiffWord) -> str:
    """The text of the reference in the place of a different word, with the space before it."""
    if word.kind == "missing" or not word.was:
        return word.text if word.kind == "missing" else ""
    return f" {word.was}" if word.text.startswith(" ") else word.was
