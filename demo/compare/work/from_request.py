"""Comparisons made from requests, row by row, and the full trace of a row."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from typing import TypeVar
from uuid import uuid4

from demo.compare.work.rows import PairComparison, PairSide, StrategyComparison
from demo.compare.work.running import run_rows
from demo.i18n import say
from demo.widgets.captions.trace import (
    NO_ATTENTION,
    attention_caption,
    picture_attention_caption,
    picture_cells,
)
from demo.widgets.figures.attention import AttentionMap, attention_map
from demo.widgets.figures.lost_output import with_better_output
from demo.work.context import AppContext
from demo.work.errors import sentence
from demo.work.requests.checks import RequestError
from demo.work.requests.compare import ComparisonRequest, Side
from demo.work.requests.decode import DecodeRequest
from demo.work.running import RunningDecodings
from demo.work.watch import Watch
from models.decoding.judge.verdict import ScoredText
from models.decoding.limits import DecodingError, check_source
from models.decoding.options import DecodingOptions
from models.decoding.search.strategy import LengthNormalizer
from models.decoding.trace import DecodingTrace

Value = TypeVar("Value")


def compare_strategies(
    context: AppContext, request: ComparisonRequest
) -> Generator[StrategyComparison, None, None]:
    """Yield the comparison at each change of a row. Raises RequestError and the errors of a checkpoint."""
    context.tokenizer(request.checkpoint)  # raises for an unreadable checkpoint before any row
    context.check_fits(request.checkpoint, request.text)
    rows = [DecodeRequest(request.checkpoint, request.text, settings) for settings in request.strategies]
    reference = scored_reference(context, request) if request.reference else None
    config = context.config(request.checkpoint)
    translates = config.source_language != config.target_language
    name = uuid4().hex
    with closing(run_rows(context, rows)) as runs:
        for run in runs:
            yield StrategyComparison(request, run.rows, reference, run.finished, name, translates)


def latest_only(
    running: RunningDecodings, session: str, values: Generator[Value, None, None], nothing: Value
) -> Generator[Value, None, None]:
    """Yield the values until the same visitor begins another comparison; then yield `nothing` and end.

    Gradio sends the last value again when a handler ends, possibly after values of the next comparison.
    """
    watch = running.begin(session)
    try:
        with closing(values):
            for value in values:
                if watch.superseded:
                    yield nothing
                    return
                yield value
    finally:
        running.end(session, watch)


def beside_better(
    context: AppContext, trace: DecodingTrace, settings: DecodingOptions, token_ids: Sequence[int]
) -> DecodingTrace:
    """Add the output with these ids to a trace, if it scores higher than the first hypothesis.

    The ids come from a browser, so they are scored again. Raises DecodingError for an impossible output.
    """
    if not token_ids or not trace.hypotheses:
        return trace
    from models.decoding.judge.rescore import rescore_ids

    checkpoint = context.checkpoint(trace.checkpoint)
    model, tokenizer = checkpoint.model, checkpoint.tokenizer
    with context.turns.turn(Watch()):
        source = check_source(model, tokenizer, trace.source_text).ids
        tokens = rescore_ids(model, source, token_ids, tokenizer)
    normalizer = LengthNormalizer(settings.normalizer, settings.length_penalty)
    return with_better_output(trace, ScoredText.from_tokens(tokenizer.decode(token_ids), tokens, normalizer))


def scored_reference(context: AppContext, request: ComparisonRequest) -> ScoredText:
    """The reference with the model's scores. Raises RequestError if it cannot be an output."""
    try:
        return context.score(request.checkpoint, request.text, request.reference)
    except DecodingError as error:
        raise RequestError(
            "reference_cannot_be_scored", "The reference cannot be scored. {error}", error=sentence(error)
        ) from error


def compare_pair(
    context: AppContext, sides: tuple[Side, Side], settings: DecodingOptions, titles: tuple[str, str]
) -> Generator[PairComparison, None, None]:
    """Yield the comparison at each change of a side. Raises the errors of an unknown checkpoint."""
    for side in sides:
        context.check_fits(side.checkpoint, side.text)
    note = difference_of_tasks(context, *(side.checkpoint for side in sides))
    rows = [DecodeRequest(side.checkpoint, side.text, settings) for side in sides]
    name = uuid4().hex
    with closing(run_rows(context, rows, _attention)) as runs:
        for run in runs:
            left, right = (
                PairSide(side, title, row, *(attention or ()))
                for side, title, row, attention in zip(sides, titles, run.rows, run.parts, strict=True)
            )
            yield PairComparison(settings, (left, right), note, run.finished, name)


def difference_of_tasks(context: AppContext, left: str, right: str) -> str:
    """A warning for two checkpoints of different tasks; empty for equal tasks."""
    one, other = (context.config(name) for name in (left, right))
    tasks = [(config.task, config.source_language, config.target_language) for config in (one, other)]
    if tasks[0] == tasks[1]:
        return ""
    labels = context.label(left), context.label(right)
    sentences = [_task(label, *task) for label, task in zip(labels, tasks, strict=True)]
    return say(
        "Different tasks: {one}, {other}. Compare how they work, not what they write.",
        one=sentences[0],
        other=sentences[1],
    )


def _task(name: str, task: str, source: str, target: str) -> str:
    if source and target:
        values = {"name": name, "task": task, "source": source, "target": target}
        return say("{name} was trained for {task} from {source} to {target}", **values)
    return say("{name} was trained for {task}", name=name, task=task)


def _attention(trace: DecodingTrace) -> tuple[AttentionMap | None, str]:
    """The attention of the best output, and its caption."""
    best = trace.hypotheses[0].node
    attention = attention_map(trace, best)
    write_caption = picture_attention_caption if picture_cells(trace) else attention_caption
    caption = say(NO_ATTENTION) if attention is None else write_caption(trace, best)
    return attention, caption
