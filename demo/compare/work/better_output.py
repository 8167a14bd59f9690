"""The full trace of a row, with the better output that its search missed."""

from __future__ import annotations

from collections.abc import Sequence

from demo.widgets.figures.lost_output import with_better_output
from demo.work.context import AppContext
from demo.work.watch import Watch
from models.decoding.judge.verdict import ScoredText
from models.decoding.options import DecodingOptions
from models.decoding.search.strategy import LengthNormalizer
from models.decoding.trace import DecodingTrace


def beside_better(
    context: AppContext, trace: DecodingTrace, settings: DecodingOptions, token_ids: Sequence[int]
) -> DecodingTrace:
    """Add the output with these ids to a trace, if it scores higher than the first hypothesis.

    The ids come from a browser, so they are scored again. Raises DecodingError for an impossible output.
    """
    if not token_ids or not trace.hypotheses:
        return trace
    from models.decoding.judge.rescore import rescore_ids
    from models.decoding.limits import check_source

    checkpoint = context.checkpoint(trace.checkpoint)
    model, tokenizer = checkpoint.model, checkpoint.tokenizer
    with context.turns.turn(Watch()):
        source = check_source(model, tokenizer, trace.source_text).ids
        tokens = rescore_ids(model, source, token_ids, tokenizer)
    normalizer = LengthNormalizer(settings.normalizer, settings.length_penalty)
    return with_better_output(trace, ScoredText.from_tokens(tokenizer.decode(token_ids), tokens, normalizer))
