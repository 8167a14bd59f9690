"""What the Compare tab does when a reader asks for something."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import gradio as gr

from demo.i18n import say
from demo.operator.caps import MAX_OUTPUT_TOKENS
from demo.requests.checks import check_example, is_picture
from demo.requests.compare import PairRequest, Side, comparison_request
from demo.requests.decode import DecodeRequest, RequestError, check_name
from demo.requests.options import asked_options
from demo.service.comparison.examples import ComparisonExample
from demo.service.comparison.from_request import compare_pair, compare_strategies
from demo.service.comparison.result import PairComparison, StrategyComparison
from demo.service.context import AppContext
from demo.tabs.compare.form import example_updates, offered, offered_pictures
from models.decoding.options import DecodingOptions
from models.decoding.trace import DecodingTrace


def on_compare(
    context: AppContext, checkpoint: object, text: object, reference: object, strategies: object
) -> Generator[StrategyComparison, None, None]:
    """One text in several ways."""
    longest = max_length(context, checkpoint)
    request = comparison_request(checkpoint, text, reference, strategies, longest)
    yield from compare_strategies(context, request)


def on_compare_checkpoints(
    context: AppContext, checkpoint: object, other_checkpoint: object, text: object, strategy: object
) -> Generator[PairComparison, None, None]:
    """One text by two checkpoints."""
    left, right = Side(checkpoint, text), Side(other_checkpoint, text)  # type: ignore[arg-type]
    if context.config(left.checkpoint).reads_pictures != context.config(right.checkpoint).reads_pictures:
        raise RequestError(
            "pictures_and_texts",
            "One of these checkpoints reads pictures and the other texts, so no source fits both. "
            "Choose two of a kind.",
        )
    titles = (context.label(left.checkpoint), context.label(right.checkpoint))
    if left.checkpoint == right.checkpoint:
        titles = (say("{name}, first", name=titles[0]), say("{name}, second", name=titles[1]))
    settings = _single(strategy, max_length(context, checkpoint, other_checkpoint))
    yield from compare_pair(context, PairRequest(left, right, settings), titles)


def on_compare_texts(
    context: AppContext, checkpoint: object, text: object, other_text: object, strategy: object
) -> Generator[PairComparison, None, None]:
    """Two texts by one checkpoint."""
    left, right = Side(checkpoint, text), Side(checkpoint, other_text)  # type: ignore[arg-type]
    settings = _single(strategy, max_length(context, checkpoint))
    yield from compare_pair(context, PairRequest(left, right, settings), (say("First"), say("Second")))


def on_open(context: AppContext, row: object) -> DecodingTrace:
    """One row in full: decoded again, which its seed makes the same."""
    if not isinstance(row, dict):
        raise RequestError("no_row_chosen", "Choose a row of the comparison.")
    settings = asked_options(row.get("settings"))
    return context.decode(DecodeRequest(row.get("checkpoint"), row.get("text"), settings))  # type: ignore[arg-type]


def on_checkpoint(context: AppContext, name: object, text: object = "") -> tuple[Any, ...]:
    """What belongs to a checkpoint: text, reference, second text, both pictures, examples.

    The texts stay where only the variant was chosen anew.
    """
    variant = check_name(name).variant
    examples = offered(context, str(name))
    first = examples[0] if examples else ComparisonExample("", "", "")
    texts: tuple[Any, ...] = first.text, first.reference, first.other
    if variant and text and not is_picture(text):
        texts = (gr.skip(),) * 3
    return *texts, *offered_pictures(context, str(name), first), *example_updates(examples)


def on_swap(context: AppContext, name: object, other: object) -> tuple[Any, ...]:
    """Both checkpoints the other way round, the examples of the first, and which one keeps the texts."""
    check_name(name)
    check_name(other)
    fits = context.config(str(name)).reads_pictures == context.config(str(other)).reads_pictures
    keeps = other if fits and other != name else None
    return other, name, *example_updates(offered(context, str(other))), keeps


def on_example(context: AppContext, index: int, name: object) -> tuple[str, str, str]:
    """One of the checkpoint's examples: text, reference, second text."""
    check_name(name)
    examples = offered(context, str(name))
    check_example(index, len(examples))
    return examples[index].text, examples[index].reference, examples[index].other


def max_length(context: AppContext, *names: object) -> int:
    """The longest output, in tokens, that makes sense for all of these checkpoints.

    Raises UnknownCheckpointError, CheckpointError, RequestError.
    """
    for name in names:
        check_name(name)
    lengths = [context.config(str(name)).max_length for name in names]
    return min(*lengths, MAX_OUTPUT_TOKENS)


def _single(strategy: object, longest: int) -> DecodingOptions:
    """The one strategy of a pair, which the picker sends as a list. Raises RequestError."""
    one = strategy[0] if isinstance(strategy, list) and strategy else strategy
    return asked_options(one, longest)
