"""What can be decoded at all: the size of a text and of its output."""

from __future__ import annotations

from models.networks.base import Seq2SeqModel
from models.pictures import PictureError
from models.tokenization import Encoding, Tokenizer

MAX_SOURCE_TOKENS = 512
MAX_OUTPUT_TOKENS = 256


class DecodingError(ValueError):
    """A request that cannot be decoded; the message says what to change."""


def check_source(model: Seq2SeqModel, tokenizer: Tokenizer, text: str) -> Encoding:
    """Tokenize. Raises DecodingError if there is nothing to read or too much of it."""
    if not text.strip():
        raise DecodingError("There is no text to decode. Type a sentence first.")
    try:
        encoding = tokenizer.encode(text)
    except PictureError as error:
        raise DecodingError(str(error)) from error
    limit = min(MAX_SOURCE_TOKENS, model.max_positions or MAX_SOURCE_TOKENS)
    if len(encoding.tokens) > limit:
        raise DecodingError(
            f"The text has {len(encoding.tokens):,} tokens; this model reads at most {limit}. Shorten it."
        )
    return encoding


def check_max_length(model: Seq2SeqModel, max_length: int) -> None:
    """Raises DecodingError unless 1 <= max_length <= what the model can write."""
    limit = min(MAX_OUTPUT_TOKENS, model.max_positions or MAX_OUTPUT_TOKENS)
    if not 1 <= max_length <= limit:
        raise DecodingError(f"max_length must be between 1 and {limit} tokens; got {max_length}.")
