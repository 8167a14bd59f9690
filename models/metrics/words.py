"""Words as BLEU counts them. Knows no torch."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from models.metrics.sentence import TOKENIZERS


def words(text: str, language: str = "") -> list[str]:
    """What sacrebleu's tokenizer for a language (BCP 47) makes of a text."""
    return str(_tokenizer(language)(text.rstrip())).split()


@lru_cache
def _tokenizer(language: str) -> Any:
    from sacrebleu.metrics.bleu import BLEU

    return BLEU(tokenize=TOKENIZERS.get(language)).tokenizer
