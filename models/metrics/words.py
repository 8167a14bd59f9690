"""Words as BLEU counts them. Imports no torch."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from models.metrics.sentence import TOKENIZERS


def words(text: str, language: str = "") -> list[str]:
    """The tokens of a text by sacrebleu's tokenizer for a language (BCP 47)."""
    return str(_tokenizer(language)(text.rstrip())).split()


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
def _tokenizer(language: str) -> Any:
    from sacrebleu.metrics.bleu import BLEU

    return BLEU(tokenize=TOKENIZERS.get(language)).tokenizer
