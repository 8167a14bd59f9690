"""Where attention looks, compared with where it should. Knows no torch."""

from __future__ import annotations

from collections.abc import Iterable

from models.decoding.trace import DecodingTrace


def anti_diagonal_share(traces: Iterable[DecodingTrace]) -> float:
    """Per cent of steps whose strongest source position is the mirror image of the target position.

    For tasks that reverse the source, over the best hypothesis of each trace, the end token not counted;
    attention is the mean over layers and heads. Raises ValueError if there is no step.
    """
    hits, steps = 0, 0
    for trace in traces:
        letters = len(trace.source) - 1  # without the end token
        for node in trace.path(trace.hypotheses[0].node)[:letters]:
            attention = trace.row(node).attention
            if attention is None:
                raise ValueError(f"checkpoint {trace.checkpoint!r} has no attention to measure")
            heads = [head for layer in attention for head in layer]
            mean = [sum(column) for column in zip(*heads, strict=True)]
            hits += mean.index(max(mean)) == letters - 1 - node.step
            steps += 1
    if not steps:
        raise ValueError("there is no step to measure")
    return 100 * hits / steps
