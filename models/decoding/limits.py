"""The limits of a decoding: the size of a text and of its output."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from models.errors import Message, UnrolledError
from models.tokenization.pictures import PictureError
from models.tokenization.plain_text import NO_TEXT, plain_text

if TYPE_CHECKING:  # the page knows the limits before it loads torch
    from collections.abc import Iterable

    from torch import Tensor

    from models.networks.base import Seq2SeqModel
    from models.tokenization.tokenizer import Encoding, Tokenizer

MAX_SOURCE_TOKENS = 512
MAX_OUTPUT_TOKENS = 256  # only for outputs that have a trace
MAX_LENGTH = 1024  # tokens, for any output


class DecodingError(UnrolledError, ValueError):
    """A request that cannot be decoded; the message says what to change."""


def check_numbers(log_probs: Tensor) -> None:
    """Raise DecodingError if any row of log-probabilities (R, V) is NaN.

    One NaN among the logits makes the whole row NaN, so the first column suffices.
    """
    if math.isnan(log_probs[:, 0].sum()):
        raise DecodingError(
            "scores_are_no_numbers",
            "The network's scores are no longer numbers: its weights, or the replaced attention, are too "
            "large. Choose another checkpoint.",
        )


def check_source(model: Seq2SeqModel, tokenizer: Tokenizer, text: str) -> Encoding:
    """Tokenize a text. Raises DecodingError if it is empty or too long."""
    if not plain_text(text):
        raise DecodingError(NO_TEXT)
    try:
        encoding = tokenizer.encode(text)
    except PictureError as error:
        raise DecodingError(error.message) from error
    limit = min(MAX_SOURCE_TOKENS, model.max_positions or MAX_SOURCE_TOKENS)
    if len(encoding.tokens) > limit:
        raise DecodingError(
            "text_too_long",
            "The text has {count} tokens; this model reads at most {limit}. Shorten it.",
            count=f"{len(encoding.tokens):,}",
            limit=limit,
        )
    return encoding


def no_such_token(token_id: int, vocab_size: int) -> Message:
    """The message about an id outside the vocabulary."""
    return Message(
        "no_such_token",
        "There is no token {token}: the vocabulary has ids 0 to {last}.",
        token=token_id,
        last=f"{vocab_size - 1:,}",
    )


def never_written(token_id: int) -> Message:
    """The message about one of `Seq2SeqModel.never_ids`."""
    return Message(
        "token_never_written", "This model never writes token {token}. Choose another one.", token=token_id
    )


def check_tokens(model: Seq2SeqModel, token_ids: Iterable[int]) -> None:
    """Raise DecodingError for a token that the model lacks or never writes."""
    for token_id in token_ids:
        if not 0 <= token_id < model.vocab_size:
            raise DecodingError(no_such_token(token_id, model.vocab_size))
        if token_id in model.never_ids:
            raise DecodingError(never_written(token_id))


def check_max_length(model: Seq2SeqModel, max_length: int) -> None:
    """Raise DecodingError unless 1 <= max_length <= what the model can write."""
    limit = min(MAX_OUTPUT_TOKENS, model.max_positions or MAX_OUTPUT_TOKENS)
    if not 1 <= max_length <= limit:
        raise DecodingError(
            "max_length_out_of_range",
            "{name} must be between 1 and {limit} tokens; got {value}.",
            name="max_length",
            limit=limit,
            value=max_length,
        )
