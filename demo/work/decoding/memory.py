"""The memory that a decoding takes from its first slice to its last, estimated before it begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from models.decoding.strategies import is_used

if TYPE_CHECKING:
    from demo.work.requests.decode import DecodeRequest
    from models.registry.checkpoint import Checkpoint

# Bytes as measured: keys, values and copies for a token of the source in each row; the record of a row in one
# step, and of one attention weight in it; a search that goes depth first, whatever its settings.
STATE_BYTES, RECORD_BYTES, WEIGHT_BYTES, DEPTH_FIRST_BYTES = 8_000, 4_000, 36, 100 << 20


def decoding_bytes(checkpoint: Checkpoint, request: DecodeRequest) -> int:
    """An estimate for a decoding at its largest length. Raises DecodingError for an unfit source."""
    from models.decoding.limits import check_source

    settings = request.settings
    if is_used("node_budget", settings.strategy):
        return DEPTH_FIRST_BYTES
    widths = [name for name in ("num_samples", "beam_size") if is_used(name, settings.strategy)]
    rows = max((getattr(settings, name) for name in widths), default=1)
    tokens = len(check_source(checkpoint.model, checkpoint.tokenizer, request.text).tokens)
    layers, heads = checkpoint.model.attention_shape or (0, 0)
    record = RECORD_BYTES + WEIGHT_BYTES * tokens * layers * heads
    return int(rows * (STATE_BYTES * tokens + settings.max_length * record))
