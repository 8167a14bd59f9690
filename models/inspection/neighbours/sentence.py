"""The sentence of a stored state, split at its token."""

from __future__ import annotations

from models.inspection.neighbours.search import Neighbour
from models.inspection.neighbours.states import SOURCE_STATES
from models.tokenization.tokenizer import Tokenizer


def split_at_token(tokenizer: Tokenizer, neighbour: Neighbour, kind: str) -> tuple[str, str, str]:
    """The text before the token, the token's text or else its spelling, and the text after it."""
    source, target = neighbour.pair
    text, side, position = target, tokenizer.target, neighbour.position - len(tokenizer.first_ids)
    if kind == SOURCE_STATES:
        text, side, position = source, tokenizer, neighbour.position
    encoding = side.encode(text)
    if not 0 <= position < len(encoding.offsets):  # an opening token, which stands before the text
        return "", tokenizer.token(neighbour.token), text
    start, end = encoding.offsets[position]
    token_text = text[start:end]
    return text[:start], token_text if token_text.strip() else encoding.tokens[position], text[end:]
