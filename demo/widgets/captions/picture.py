"""Captions for the attention over a picture, computed from its trace."""

from __future__ import annotations

import math
from collections.abc import Sequence

from demo.i18n import say
from demo.i18n.display import display_token, number_text
from demo.widgets.figures.attention import attention_map
from demo.work.requests.checks import is_picture
from models.decoding.trace import DecodingTrace
from models.tokenization.pictures import PictureGrid
from models.tokenization.plain_text import EOS


def picture_cells(trace: DecodingTrace) -> int | None:
    """Number of cells on a side of the picture; None if the source is not a picture."""
    side = math.isqrt(len(trace.source))
    if not is_picture(trace.source_text) or side == 0:
        return None
    names = tuple(token.surface for token in trace.source)
    return side if names == PictureGrid(side, side).names else None


def picture_attention_caption(trace: DecodingTrace, node_id: int) -> str:
    """A sentence about the word with the most concentrated attention; empty without attention."""
    attention = attention_map(trace, node_id)
    if attention is None:
        return ""
    words = [
        (_half(row), node.token)
        for node, row in zip(trace.path(node_id), attention.weights, strict=True)
        if node.token != EOS
    ]
    if not words:
        return say("It wrote nothing: there is no word to look for.")
    fewest, word = min(words, key=lambda item: item[0])
    values = {"word": display_token(word), "count": fewest, "all": len(attention.source)}
    if len(words) == 1:
        return say(
            "It looks most closely while writing “{word}”: {count} of {all} cells hold half its attention.",
            **values,
        )
    return say(
        "It looks most closely while writing “{word}”: {count} of {all} cells hold half its attention, "
        "against {mean} for a word on average.",
        **values,
        mean=number_text(sum(count for count, _ in words) / len(words), 1),
    )


def _half(weights: Sequence[float]) -> int:
    """The least number of weights that have half of the sum of all."""
    total, half = 0.0, sum(weights) / 2
    for count, weight in enumerate(sorted(weights, reverse=True), start=1):
        total += weight
        if total >= half:
            return count
    return len(weights)
