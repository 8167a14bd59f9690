"""Words as BLEU counts them. Knows no torch."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from models.metrics.sentence import TOKENIZERS


def words(text: str, language: str = "") -> list[str]:
    """What sacrebleu's tokenizer for a language (BCP 47) makes of a text."""
    return str(_tokenizer(language)(text.rstrip())).split()


def unspaced_language(texts: Iterable[str]) -> str:
    """Of texts most of whose letters are Chinese or Japanese "zh" or "ja"; of others ""."""
    letters = (letter for text in texts for letter in text if letter.isalpha())
    counts = Counter(unicodedata.name(letter, "").split(" ")[0] for letter in letters)
    kana = counts["HIRAGANA"] + counts["KATAKANA"]
    both = kana + counts["CJK"]
    if 2 * both <= counts.total():
        return ""
    return "ja" if 5 * kana > both else "zh"  # a Chinese text may name something Japanese


@lru_cache
def _tokenizer(language: str) -> Any:
    from sacrebleu.metrics.bleu import BLEU

    return BLEU(tokenize=TOKENIZERS.get(language)).tokenizer
