"""The interventions of a user in a decoding: forced tokens, attention, required and banned words."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from models.decoding.limits import DecodingError, check_tokens
from models.decoding.trace import AttentionOverride, RequiredPhrase
from models.errors import Message, in_quotes
from models.networks.base import Seq2SeqModel
from models.tokenization.plain_text import plain_text
from models.tokenization.tokenizer import Tokenizer

MAX_SUM_ERROR = 1e-3  # the sum of an attention row may differ from 1 by this much
COMMA = re.compile("[,，、]")  # between required or banned words
LAYERS, HEADS = Message("layers", "layers"), Message("heads", "heads")


@dataclass(frozen=True)
class Intervention:
    """The changes of a user to one decoding; none by default."""

    forced: tuple[int, ...] = ()  # ids of the first generated tokens, whatever the model predicts
    overrides: tuple[AttentionOverride, ...] = ()  # they replace the cross-attention at some steps


def with_opening(forced: Sequence[int], tokenizer: Tokenizer) -> tuple[int, ...]:
    """Return the forced tokens, after the tokens that begin every output of the checkpoint.

    If `forced` begins with these already, it is returned as it is.
    """
    return (*tokenizer.first_ids, *forced[opening_length(forced, tokenizer) :])


def opening_length(token_ids: Sequence[int], tokenizer: Tokenizer | type[Tokenizer]) -> int:
    """Return the number of first tokens that every output of the checkpoint has, such as a language code.

    The model does not predict them, so they do not count in log-probabilities. 0 if `token_ids` lacks them.
    """
    first = tokenizer.first_ids
    return len(first) if tuple(token_ids[: len(first)]) == first else 0


def check_forced(forced: Sequence[int], model: Seq2SeqModel, tokenizer: Tokenizer, max_length: int) -> None:
    """Raise DecodingError unless these tokens can begin an output of at most `max_length`."""
    check_tokens(model, forced[opening_length(forced, tokenizer) :])
    if tokenizer.eos_id in forced[:-1]:
        raise DecodingError(
            "forced_after_end", "The forced tokens go on after the end token. Drop what follows it."
        )
    if len(forced) > max_length:
        raise DecodingError(
            "too_many_forced",
            "{count} tokens are forced, but the output may have {limit}. Raise the maximum length.",
            count=len(forced),
            limit=max_length,
        )


def token_ids_of_text(tokenizer: Tokenizer, text: str) -> list[int]:
    """Return the token ids of a typed text: one token if the text is the spelling of one, else several.

    The spelling of the end token stands for it. Raises DecodingError if the vocabulary lacks the text.
    """
    if not plain_text(text):
        raise DecodingError(
            "no_token_to_force", "There is no token to force. Type a word, or a token as the tree spells it."
        )
    if text.strip() == tokenizer.token(tokenizer.eos_id):
        return [tokenizer.eos_id]
    encoding = tokenizer.target.encode(text)
    ids = [token_id for token_id in encoding.ids if token_id != tokenizer.eos_id]
    exact = tokenizer.token_id(text.strip())
    if len(ids) != 1 and exact is not None and exact not in tokenizer.special_ids:
        return [exact]
    if tokenizer.unk_id in ids:
        raise DecodingError(
            "words_unknown",
            "The vocabulary of this model lacks {words}. Type something else.",
            words=in_quotes(encoding.unknown),
        )
    return ids


def banned_ids(tokenizer: Tokenizer, banned: str) -> tuple[int, ...]:
    """Return the ids of words that are one token each. Raises DecodingError for any other word.

    Commas or blanks separate them; a comma on its own, and one inside a token, are no separators.
    """
    ids: list[int] = []
    for word in _banned_words(tokenizer, banned):
        try:
            token_ids = token_ids_of_text(tokenizer, word)
        except DecodingError as error:
            raise DecodingError(
                "word_cannot_be_banned", "“{word}” cannot be banned. {error}", word=word, error=error
            ) from error
        if len(token_ids) > 1:
            spelt = " ".join(f"“{tokenizer.token(token_id)}”" for token_id in token_ids)
            raise DecodingError(
                "banned_word_in_pieces",
                "“{word}” is not one token but {count}: {spelt}. Ban one of these, spelt as here.",
                word=word,
                count=len(token_ids),
                spelt=spelt,
            )
        ids += token_ids
    return tuple(ids)


def _banned_words(tokenizer: Tokenizer, banned: str) -> Iterator[str]:
    for part in banned.split():
        words = list(filter(None, COMMA.split(part)))
        yield from [part] if not words or tokenizer.token_id(part) is not None else words


def required_phrases(tokenizer: Tokenizer, text: str) -> tuple[RequiredPhrase, ...]:
    """Return the phrases between commas with their tokens. Raises DecodingError for an unknown word.

    A text of blanks has no phrase.
    """
    typed = [part.strip() for part in COMMA.split(text) if part.strip()]
    if text.strip() and not typed:
        raise DecodingError("no_words_required", "There is no word between the commas. Type one, or nothing.")
    phrases = []
    for phrase in typed:
        try:
            ids = token_ids_of_text(tokenizer, phrase)
        except DecodingError as error:
            raise DecodingError(
                "word_cannot_be_required", "“{word}” cannot be written. {error}", word=phrase, error=error
            ) from error
        if tokenizer.eos_id in ids:
            raise DecodingError(
                "end_cannot_be_required",
                "The end token is not a word: every output that is not cut off has it. Leave it out.",
            )
        phrases.append(RequiredPhrase(phrase, tuple(ids)))
    return tuple(phrases)


def attention_overrides(
    overrides: Sequence[AttentionOverride], model: Seq2SeqModel, source_length: int, max_length: int
) -> Mapping[int, Tensor]:
    """Return the weights (1, L, H, S) of each step for `Seq2SeqModel.step`. Raises DecodingError."""
    rows: dict[int, Tensor] = {}
    for override in overrides:
        if model.attention_shape is None:
            raise DecodingError(
                "no_attention_to_replace",
                "This model has no attention to replace. Choose another checkpoint.",
            )
        _check(override, model.attention_shape, source_length, max_length)
        layers, heads = model.attention_shape
        empty = torch.full((1, layers, heads, source_length), math.nan)
        weights = rows.setdefault(override.step, empty)
        layer = slice(None) if override.layer is None else override.layer
        head = slice(None) if override.head is None else override.head
        weights[:, layer, head] = torch.tensor(override.weights) / math.fsum(override.weights)
    device = next(model.parameters()).device
    return {step: weights.to(device) for step, weights in rows.items()}


def _check(override: AttentionOverride, shape: tuple[int, int], source_length: int, max_length: int) -> None:
    weights, total = override.weights, math.fsum(override.weights)
    if len(weights) != source_length:
        raise DecodingError(
            "attention_row_length",
            "An attention row needs one weight for each of the {count} source tokens; got {given}.",
            count=source_length,
            given=len(weights),
        )
    if not all(0 <= weight <= 1 for weight in weights):
        raise DecodingError(
            "attention_weight_out_of_range",
            "Attention weights must lie between 0 and 1. Change those that do not.",
        )
    if abs(total - 1) > MAX_SUM_ERROR:
        raise DecodingError(
            "attention_sum",
            "Attention weights must sum to 1; these sum to {total}. Rescale them.",
            total=f"{total:.3f}",
        )
    if not 0 <= override.step < max_length:
        raise DecodingError(
            "no_such_step",
            "There is no step {step}: the output has at most {limit} tokens.",
            step=override.step + 1,
            limit=max_length,
        )
    for parts, value, count in ((LAYERS, override.layer, shape[0]), (HEADS, override.head, shape[1])):
        if value is not None and not 0 <= value < count:
            raise DecodingError(
                "no_such_part_of_attention",
                "This model's attention has {count} {parts}; there is no number {number}.",
                count=count,
                parts=parts,
                number=value + 1,
            )
