"""What a counterfactual is: a source text that differs in one respect, and where it differs."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from models.evaluation.counterfactuals.words import words

Span: TypeAlias = "tuple[int, int]"  # start and end in a text, in characters
Edit: TypeAlias = "tuple[int, int, str]"  # what stands from start to end becomes this


@dataclass(frozen=True)
class Change:
    """A changed text, and what a page marks in the text before and in this one; in order, none is empty."""

    text: str
    before: tuple[Span, ...]
    after: tuple[Span, ...]


@dataclass(frozen=True)
class Counterfactual:
    """One way to change a text.

    `change` gives None for what it cannot change: a text of one word has no order. All that it draws, it
    draws from the generator that it is given.
    """

    name: str  # in the API and in links
    position: int  # what moves words, what moves meaning, what only moves letters
    title: str  # English, as `sentence`; the page translates both
    sentence: str  # what is changed
    keeps_meaning: bool  # whether a translation should stay what it was; if not, one that stays is at fault
    change: Callable[[str, Random], Change | None]

    def apply(self, text: str, seed: int = 0) -> Change | None:
        """The text changed; None where it cannot be.

        What is drawn depends on text, name and seed alone, never on what else is changed before.
        """
        key = f"{seed} {self.name} {text}".encode("utf-8", "surrogatepass")
        digest = hashlib.blake2b(key, digest_size=16).digest()
        change = self.change(text, Random(int.from_bytes(digest, "big")))
        if change is None or not change.text.strip():
            return None
        # Tokenizers compose letters and their accents, so a text that differs in that alone is the same.
        same = unicodedata.normalize("NFC", change.text) == unicodedata.normalize("NFC", text)
        return None if same else change


def edited_words(text: str, written: Callable[[str], str]) -> Change | None:
    """The text with each word as `written` spells it; None where that changes none."""
    spelt = ((word, written(word.of(text))) for word in words(text))
    return edited(text, [(word.start, word.end, new) for word, new in spelt if new != word.of(text)])


def edited(text: str, edits: Iterable[Edit]) -> Change | None:
    """The text after edits that do not overlap; None without any. Spaces that come or go are not marked."""
    parts: list[str] = []
    before: list[Span] = []
    after: list[Span] = []
    done = length = 0
    for start, end, new in sorted(edits):
        kept = text[done:start]
        parts += (kept, new)
        length += len(kept)
        if text[start:end].strip():
            before.append((start, end))
        if new.strip():
            after.append((length, length + len(new)))
        length += len(new)
        done = end
    return Change("".join((*parts, text[done:])), tuple(before), tuple(after)) if parts else None
