"""The constraints that every strategy obeys, built from the options."""

from __future__ import annotations

from models.decoding.interventions import banned_ids, required_phrases
from models.decoding.limits import DecodingError
from models.decoding.options import DecodingOptions
from models.decoding.search.bans import BannedTokens, Constraint, MinLength
from models.decoding.search.processors import NoRepeatNgram, RepetitionPenalty
from models.decoding.search.words import RequiredWords
from models.tokenization.tokenizer import Tokenizer


def constraints_of(options: DecodingOptions, tokenizer: Tokenizer) -> tuple[Constraint, ...]:
    """Build the constraints that are switched on. Raises DecodingError for an unknown banned word."""
    constraints: list[Constraint] = []
    if options.repetition_penalty != 1:
        constraints.append(RepetitionPenalty(options.repetition_penalty))
    if options.no_repeat_ngram_size:
        constraints.append(NoRepeatNgram(options.no_repeat_ngram_size))
    if options.banned.strip():
        constraints.append(BannedTokens(banned_ids(tokenizer, options.banned), tokenizer.eos_id))
    if options.min_length:
        constraints.append(MinLength(options.min_length, tokenizer.eos_id))
    return tuple(constraints)


def words_of(options: DecodingOptions, tokenizer: Tokenizer) -> RequiredWords | None:
    """Build the required words, or return None if there are none.

    Raises DecodingError if no output can contain them.
    """
    phrases = required_phrases(tokenizer, options.must_contain)
    if not phrases:
        return None
    if not options.build_strategy().allows_required_words:
        raise DecodingError(
            "words_need_hypotheses",
            "Required words work only where several hypotheses compete. Choose a beam search with at "
            "least 2 hypotheses in each group, or an exact search.",
        )
    forbidden_ids = {*tokenizer.forbidden_ids, *tokenizer.never_ids, *banned_ids(tokenizer, options.banned)}
    for phrase in phrases:
        if not forbidden_ids.isdisjoint(phrase.token_ids):
            raise DecodingError(
                "required_and_banned",
                "“{phrase}” is required, but its token “{token}” is banned. Remove it from one "
                "of the two lists.",
                phrase=phrase.text,
                token=tokenizer.token(next(token for token in phrase.token_ids if token in forbidden_ids)),
            )
    words = RequiredWords(phrases)
    max_tokens = options.max_length - len(tokenizer.first_ids) - tokenizer.forces_end
    if words.min_tokens_bound > max_tokens:
        raise DecodingError(
            "required_words_too_long",
            "The required words take at least {count} tokens, but an output has at most {limit}. Raise "
            "the maximum length, or ask for fewer words.",
            count=words.min_tokens_bound,
            limit=max_tokens,
        )
    return words
