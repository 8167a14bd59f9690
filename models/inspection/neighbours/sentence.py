"""The sentence of a stored state, with the token marked that was written there, or read."""

from __future__ import annotations

from models.inspection.neighbours.search import Neighbour
from models.inspection.neighbours.states import SOURCE
from models.tokenization.tokenizer import Tokenizer


def around(tokenizer: Tokenizer, found: Neighbour, kind: str) -> tuple[str, str, str]:
    """The text before the token, the token's own, and the text behind it; of the end token its spelling."""
    source, target = found.pair
    text, side, place = target, tokenizer.target, found.place - len(tokenizer.first_ids)
    if kind == SOURCE:
        text, side, place = source, tokenizer, found.place
    encoding = side.encode(text)
    if not 0 <= place < len(encoding.offsets):  # an opening token, which stands before the text
        return "", tokenizer.token(found.token), text
    start, end = encoding.offsets[place]
    own = text[start:end]
    return text[:start], own if own.strip() else encoding.tokens[place], text[end:]
