"""The constraints that every strategy obeys, built from what was asked."""

from __future__ import annotations

from models.decoding.forcing import banned_ids
from models.decoding.search.bans import BannedTokens, MinLength
from models.decoding.search.processors import LogitsProcessor, NoRepeatNgram, RepetitionPenalty
from models.tokenization.tokenizer import Tokenizer


def constraints_of(
    tokenizer: Tokenizer,
    *,
    min_length: int,
    no_repeat_ngram_size: int,
    repetition_penalty: float,
    banned: str,
) -> tuple[LogitsProcessor, ...]:
    """Those that are switched on. Raises DecodingError for banned words that are no token."""
    built: list[LogitsProcessor] = []
    if repetition_penalty != 1:
        built.append(RepetitionPenalty(repetition_penalty))
    if no_repeat_ngram_size:
        built.append(NoRepeatNgram(no_repeat_ngram_size))
    if banned.strip():
        built.append(BannedTokens(banned_ids(tokenizer, banned), tokenizer.eos_id))
    if min_length:
        built.append(MinLength(min_length, tokenizer.eos_id))
    return tuple(built)
