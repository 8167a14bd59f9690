"""Comparisons made from requests, row by row."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from uuid import uuid4

from demo.compare.work.result import PairComparison, PairSide, StrategyComparison
from demo.compare.work.running import run_rows
from demo.i18n import say
from demo.widgets.captions.trace import (
    NO_ATTENTION,
    attention_caption,
    picture_attention_caption,
    picture_cells,
)
from demo.widgets.figures.attention import AttentionMap, attention_map
from demo.work.context import AppContext
from demo.work.errors import sentence
from demo.work.requests.checks import RequestError
from demo.work.requests.compare import ComparisonRequest, PairRequest
from demo.work.requests.decode import DecodeRequest
from models.decoding.judge.scored_text import ScoredText
from models.decoding.trace import DecodingTrace


def compare_strategies(
    context: AppContext, request: ComparisonRequest
) -> Generator[StrategyComparison, None, None]:
    """Yield the comparison at each change of a row. Raises RequestError and the errors of a checkpoint."""
    context.tokenizer(request.checkpoint)  # raises for an unreadable checkpoint before any row
    context.check_fits(request.checkpoint, request.text)
    rows = [DecodeRequest(request.checkpoint, request.text, settings) for settings in request.strategies]
    reference = scored_reference(context, request) if request.reference else None
    name = uuid4().hex
    with closing(run_rows(context, rows)) as runs:
        for run in runs:
            yield StrategyComparison(request, run.rows, reference, run.finished, name)


def scored_reference(context: AppContext, request: ComparisonRequest) -> ScoredText:
    """The reference with the model's scores. Raises RequestError if it cannot be an output."""
    from models.decoding.limits import DecodingError

    try:
        return context.score(request.checkpoint, request.text, request.reference)
    except DecodingError as error:
        raise RequestError(
            "reference_cannot_be_scored", "The reference cannot be scored. {error}", error=sentence(error)
        ) from error


def compare_pair(
    context: AppContext, request: PairRequest, titles: tuple[str, str]
) -> Generator[PairComparison, None, None]:
    """Yield the comparison at each change of a side. Raises the errors of an unknown checkpoint."""
    both = (request.left, request.right)
    for side in both:
        context.check_fits(side.checkpoint, side.text)
    note = difference_of_tasks(context, request.left.checkpoint, request.right.checkpoint)
    rows = [DecodeRequest(side.checkpoint, side.text, request.settings) for side in both]
    name = uuid4().hex
    with closing(run_rows(context, rows, _attention)) as runs:
        for run in runs:
            left, right = (
                PairSide(side, title, row, *(attention or ()))
                for side, title, row, attention in zip(both, titles, run.rows, run.parts, strict=True)
            )
            yield PairComparison(request.settings, (left, right), note, run.finished, name)


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
