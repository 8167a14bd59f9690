"""Hand-made outcomes of decodings, without a model or torch."""

from __future__ import annotations

from typing import Any

from demo.compare.work.rows import DecodingOutcome, Row, RowState
from demo.widgets.captions.options import short_name
from demo.work.requests.decode import decoding_options
from models.decoding.status import Stop

VOCABULARY: dict[str, int] = {}


def outcome(
    text: str, log_prob: float, stop: Stop = Stop.COMPLETE, score: float | None = None
) -> DecodingOutcome:
    """Return an outcome with one token for each word, all equally likely; equal words have equal ids."""
    tokens = (*(f"▁{word}" for word in text.split()), "</s>")
    ids = tuple(VOCABULARY.setdefault(token, len(VOCABULARY)) for token in tokens)
    share = log_prob / len(tokens)
    return DecodingOutcome(
        text, ids, tokens, (share,) * len(tokens), log_prob, score or log_prob, True, 12.3, 40, stop
    )


def row(text: str, log_prob: float, stop: Stop = Stop.COMPLETE, **settings: Any) -> Row:
    options = decoding_options(settings)
    return Row(options, short_name(options), RowState.DONE, outcome(text, log_prob, stop))
