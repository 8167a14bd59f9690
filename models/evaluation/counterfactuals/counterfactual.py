"""A counterfactual: a source text that differs in one respect."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from models.evaluation.counterfactuals.words import words

Edit: TypeAlias = "tuple[int, int, str]"  # start, end, and the text that replaces this span


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
    change: Callable[[str, Random], str | None]
    keeps_meaning: bool = True  # whether the translation should stay the same; if not, it must change

    def apply(self, text: str, seed: int = 0) -> str | None:
        """Change a text; None if that is not possible.

        The result depends on the text, the name and the seed alone.
        """
        key = f"{seed} {self.name} {text}".encode("utf-8", "surrogatepass")
        digest = hashlib.blake2b(key, digest_size=16).digest()
        changed = self.change(text, Random(int.from_bytes(digest, "big")))
        if changed is None or not changed.strip():
            return None
        # Tokenizers compose letters and accents, so a text that differs only in composition is the same.
        unchanged = unicodedata.normalize("NFC", changed) == unicodedata.normalize("NFC", text)
        return None if unchanged else changed


def edit_words(text: str, spell: Callable[[str], str]) -> str | None:
    """The text with each word as `spell` returns it; None if no word changes."""
    spelt = ((word, spell(word.spelling(text))) for word in words(text))
    return apply_edits(
        text, [(word.start, word.end, new) for word, new in spelt if new != word.spelling(text)]
    )


def apply_edits(text: str, edits: Iterable[Edit]) -> str | None:
    """The text after edits that do not overlap; None if there are none."""
    parts, copied = list[str](), 0
    for start, end, replacement in sorted(edits):
        parts += (text[copied:start], replacement)
        copied = end
    return "".join((*parts, text[copied:])) if parts else None
