"""Words as BLEU counts them. Imports no torch."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from models.metrics.sentence import TOKENIZERS

DEFAULT_TOKENIZER = "13a"


def words(text: str, language: str = "") -> list[str]:
    """The tokens of a text by sacrebleu's tokenizer for a language (BCP 47)."""
    return tokens_of(text, TOKENIZERS.get(language, DEFAULT_TOKENIZER))


def tokens_of(text: str, tokenizer: str) -> list[str]:
    """The tokens of a text by one of sacrebleu's tokenizers."""
    return str(_tokenizer(tokenizer)(text.rstrip())).split()


def unspaced_language(texts: Iterable[str]) -> str:
    """Return "zh" or "ja" if most letters are Chinese or Japanese, else ""."""
    letters = (letter for text in texts for letter in text if letter.isalpha())
    counts = Counter(unicodedata.name(letter, "").split(" ")[0] for letter in letters)
    kana = counts["HIRAGANA"] + counts["KATAKANA"]
    unspaced = kana + counts["CJK"]
    if 2 * unspaced <= counts.total():
        return ""
    return "ja" if 5 * kana > unspaced else "zh"  # a Chinese text may contain some Japanese


@lru_cache
def _tokenizer(name: str) -> Any:
    # Imported at first use, since the import takes longer than opening the page.
    from sacrebleu.metrics.bleu import BLEU

    return BLEU(tokenize=name).tokenizer
