"""A counterfactual: a source text that differs in one respect, with the spans that differ."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from models.evaluation.counterfactuals.words import words

Span: TypeAlias = "tuple[int, int]"  # start and end in a text, in characters
Edit: TypeAlias = "tuple[int, int, str]"  # start, end, and the text that replaces this span


@dataclass(frozen=True)
class Change:
    """A changed text, with the spans that differ.

    `before` are spans of the unchanged text, `after` of the changed one. Both are in order; no span is empty.
    """

    text: str
    before: tuple[Span, ...]
    after: tuple[Span, ...]


@dataclass(frozen=True)
class Counterfactual:
    """One way to change a text.

    `change` returns None for a text that it cannot change, such as the order of one word. It draws random
    numbers only from its generator.
    """

    name: str  # its name in the API and in links
    position: int  # lists show changes of words, then of meaning, then of letters
    title: str  # English, like `sentence`; the page translates both
    sentence: str  # describes the change
    keeps_meaning: bool  # whether the translation should stay the same; if not, it must change
    change: Callable[[str, Random], Change | None]

    def apply(self, text: str, seed: int = 0) -> Change | None:
        """Change a text; None if that is not possible.

        The result depends on the text, the name and the seed alone.
        """
        key = f"{seed} {self.name} {text}".encode("utf-8", "surrogatepass")
        digest = hashlib.blake2b(key, digest_size=16).digest()
        change = self.change(text, Random(int.from_bytes(digest, "big")))
        if change is None or not change.text.strip():
            return None
        # Tokenizers compose letters and accents, so a text that differs only in composition is the same.
        unchanged = unicodedata.normalize("NFC", change.text) == unicodedata.normalize("NFC", text)
        return None if unchanged else change


def edit_words(text: str, spell: Callable[[str], str]) -> Change | None:
    """The text with each word as `spell` returns it; None if no word changes."""
    spelt = ((word, spell(word.spelling(text))) for word in words(text))
    return apply_edits(
        text, [(word.start, word.end, new) for word, new in spelt if new != word.spelling(text)]
    )


def apply_edits(text: str, edits: Iterable[Edit]) -> Change | None:
    """The text after edits that do not overlap; None if there are none. Changed spaces are not spans."""
    parts: list[str] = []
    before: list[Span] = []
    after: list[Span] = []
    copied = length = 0
    for start, end, replacement in sorted(edits):
        unchanged = text[copied:start]
        parts += (unchanged, replacement)
        length += len(unchanged)
        if text[start:end].strip():
            before.append((start, end))
        if replacement.strip():
            after.append((length, length + len(replacement)))
        length += len(replacement)
        copied = end
    return Change("".join((*parts, text[copied:])), tuple(before), tuple(after)) if parts else None
