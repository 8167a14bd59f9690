"""Handlers of the Compare tab."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import gradio as gr

from demo.compare.form import comparison_examples_of, example_updates, offered_pictures
from demo.compare.work.examples import ComparisonExample, comparison_examples
from demo.compare.work.from_request import beside_better, compare_pair, compare_strategies
from demo.compare.work.rows import PairComparison, StrategyComparison
from demo.i18n import say
from demo.widgets.form.choices import fits, own_checkpoints, picker_updates, readable_config
from demo.work.context import AppContext
from demo.work.operator.caps import MAX_OUTPUT_TOKENS
from demo.work.requests.checks import RequestError, check_example, check_name, check_result, is_picture
from demo.work.requests.compare import Side, comparison_request
from demo.work.requests.decode import DecodeRequest, decoding_options
from demo.work.requests.edit import token_ids
from models.decoding.options import DecodingOptions
from models.decoding.trace import DecodingTrace


def on_compare(
    context: AppContext, checkpoint: object, text: object, reference: object, strategies: object
) -> Generator[StrategyComparison, None, None]:
    """Compare strategies on one text."""
    longest = max_length(context, checkpoint)
    request = comparison_request(checkpoint, text, reference, strategies, longest)
    yield from compare_strategies(context, request)


def on_compare_checkpoints(
    context: AppContext, checkpoint: object, other_checkpoint: object, text: object, strategy: object
) -> Generator[PairComparison, None, None]:
    """Compare two checkpoints on one text."""
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
    yield from compare_pair(context, (left, right), settings, titles)


def on_compare_texts(
    context: AppContext, checkpoint: object, text: object, other_text: object, strategy: object
) -> Generator[PairComparison, None, None]:
    """Compare two texts by one checkpoint."""
    left, right = Side(checkpoint, text), Side(checkpoint, other_text)  # type: ignore[arg-type]
    settings = _single(strategy, max_length(context, checkpoint))
    yield from compare_pair(context, (left, right), settings, (say("First"), say("Second")))


def on_open(context: AppContext, row: object) -> DecodingTrace:
    """Decode one row again, in full and with its seed, and add the better output that its search missed."""
    if not isinstance(row, dict):
        raise RequestError("no_row_chosen", "Choose a row of the comparison.")
    settings = decoding_options(row.get("settings"))
    trace = context.decode(DecodeRequest(row.get("checkpoint"), row.get("text"), settings))  # type: ignore[arg-type]
    return beside_better(context, trace, settings, token_ids("better", row.get("better") or []))


def on_checkpoint(context: AppContext, name: object, before: object, text: object) -> tuple[Any, ...]:
    """Fill in text, reference, second text, both pictures and examples for a checkpoint.

    The texts stay if the checkpoint reads what `before` reads, and if the reader has typed one. Otherwise an
    example takes their place. A reference stays where both checkpoints write the same language.
    """
    check_name(name)
    examples = comparison_examples_of(context, str(name))
    first = examples[0] if examples else ComparisonExample("", "", "")
    texts: tuple[Any, ...] = first.text, first.reference, first.other
    if text and _keeps_text(context, str(name), before, str(text)):
        one, other = readable_config(context, name), readable_config(context, before)
        writes_alike = one is None or other is None or one.writes_like(other)
        texts = gr.skip(), gr.skip() if writes_alike else "", gr.skip()
        first = ComparisonExample(str(text), "", first.other)
    return *texts, *offered_pictures(context, str(name), first), *example_updates(examples)


def _keeps_text(context: AppContext, name: str, before: object, text: str) -> bool:
    if fits(context, name, before, text):
        return True
    config, previous = readable_config(context, name), readable_config(context, before)
    is_example = previous is not None and text in {example.text for example in comparison_examples(previous)}
    return not is_example and config is not None and config.reads_pictures == is_picture(text)


def on_swap(context: AppContext, name: object, other: object) -> tuple[Any, ...]:
    """Both checkpoints swapped, the examples of the first, and the new value of `form_checkpoint`."""
    check_name(name)
    check_name(other)
    same_kind = context.config(str(name)).reads_pictures == context.config(str(other)).reads_pictures
    filled = other if same_kind and other != name else gr.skip()
    return other, name, *example_updates(comparison_examples_of(context, str(other))), filled


def on_example(context: AppContext, index: int, name: object) -> tuple[str, str, str]:
    """One of the checkpoint's examples: text, reference, second text."""
    check_name(name)
    examples = comparison_examples_of(context, str(name))
    check_example(index, len(examples))
    return examples[index].text, examples[index].reference, examples[index].other


def on_carry(context: AppContext, data: object) -> list[Any]:
    """Mode, checkpoints, texts and pictures, the checkpoint's examples, and which checkpoint keeps them.

    Two checkpoints are compared where a second one is named; else it and the mode stay. A known sentence has
    its reference and its other half; another one has none. Raises RequestError, UnknownCheckpointError,
    CheckpointError.
    """
    result = check_result(data)
    side = Side(result.get("checkpoint", ""), result.get("text", ""))
    context.check_fits(side.checkpoint, side.text)
    picker = gr.update(value=side.checkpoint)
    if check_name(side.checkpoint).variant:  # a variant is in no list before it is chosen
        _, choices, _ = picker_updates(context, own_checkpoints(context, None), ("", side.checkpoint), 3)
        picker = {**choices, **picker}
    examples = comparison_examples_of(context, side.checkpoint)
    example_of_text = next((example for example in examples if example.text == side.text), None)
    example = example_of_text or ComparisonExample(side.text, "", "")
    mode: Any = gr.skip()
    other: Any = gr.skip()
    if result.get("other_checkpoint"):
        mode, other = "checkpoints", Side(result["other_checkpoint"], side.text).checkpoint
    return [
        *(mode, picker, other),
        *(example.text, example.reference, example_of_text.other if example_of_text else gr.skip()),
        *offered_pictures(context, side.checkpoint, example),
        *example_updates(examples),
        side.checkpoint,
    ]


def max_length(context: AppContext, *names: object) -> int:
    """The longest sensible output, in tokens, for all of these checkpoints.

    Raises UnknownCheckpointError, CheckpointError, RequestError.
    """
    for name in names:
        check_name(name)
    lengths = [context.config(str(name)).max_length for name in names]
    return min(*lengths, MAX_OUTPUT_TOKENS)


def _single(strategy: object, longest: int) -> DecodingOptions:
    """The one strategy of a pair, which the picker sends as a list. Raises RequestError."""
    one = strategy[0] if isinstance(strategy, list) and strategy else strategy
    return decoding_options(one, longest)
