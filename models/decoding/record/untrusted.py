"""A reader of traces from any source, which checks the type of every value and every reference."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from models.decoding.record_json import TraceError, damage_error
from models.decoding.strategies import names
from models.decoding.trace import DecodedRow, DecodingTrace
from models.errors import reason_of
from models.metrics.sentence import UTILITIES
from models.records import conform, finite

MAX_CANDIDATES, MAX_TRACE_STEPS, MAX_READ_TOKENS, MAX_OUTPUTS = 8_000, 1_000, 4_096, 500
MAX_SETTINGS = 60
MAX_ALPHA = 10.0  # absolute value of a length penalty, as in `LengthNormalizer`
MAX_ENTROPY = 30.0  # nats, the entropy of 10^13 equally likely tokens
MAY_BE_INFINITE = {"log_prob", "cumulative", "score", "allowed"}  # minus infinity: an impossible token


def read_untrusted(text: str) -> DecodingTrace:
    """Read the JSON of `DecodingTrace.to_json` or of a download. Raises TraceError for any other text."""
    try:
        trace = DecodingTrace.from_json(text)
        conform("trace", trace, DecodingTrace, _check_number, _check_settings)
        _check_sizes(trace)
        _check_references(trace)
        _check_attention(trace)
    except TraceError:
        raise
    except (UnicodeError, RecursionError, OverflowError) as error:
        raise damage_error(reason_of(error)) from error
    except ValueError as error:  # raised by the checks below, with a message for the reader
        raise damage_error(error) from error
    return trace


def _check_number(name: str, value: Any) -> None:
    if value == -math.inf and name in MAY_BE_INFINITE:
        return
    finite(name, value)
    if name in {"log_prob", "cumulative", "allowed"} and value > 0.001:  # rounding is below it
        raise ValueError(f"{name} is not a logarithm of a probability")
    if name == "entropy" and not 0 <= value <= MAX_ENTROPY:
        raise ValueError(f"entropy is not between 0 and {MAX_ENTROPY} nats")
    if name in {"chance", "chances"} and not 0 <= value <= 1.001:
        raise ValueError(f"{name} is not a probability")


def _check_settings(_: str, value: object) -> None:
    if not isinstance(value, Mapping) or len(value) > MAX_SETTINGS:
        raise ValueError("settings is not an object, or it is too large")
    for name, entry in value.items():
        for part in entry if isinstance(entry, list) else [entry]:
            if part is not None and type(part) not in {str, int, float, bool}:
                raise ValueError("a setting is not a plain value")
            conform(name, part, type(part), _check_number) if part is not None else None
    alpha = value.get("length_penalty") or 0.0
    if not isinstance(alpha, int | float) or abs(alpha) > MAX_ALPHA:
        raise ValueError(f"the length penalty is not a number of at most {MAX_ALPHA}")


def _check_sizes(trace: DecodingTrace) -> None:
    if trace.strategy not in names():
        raise ValueError("no strategy has that name")
    sizes = {
        "candidates": (sum(len(step.nodes) for step in trace), MAX_CANDIDATES),
        "steps": (len(trace.steps), MAX_TRACE_STEPS),
        "source tokens": (len(trace.source), MAX_READ_TOKENS),
        "outputs": (len(trace.hypotheses), MAX_OUTPUTS),
    }
    for name, (count, limit) in sizes.items():
        if not 0 < count <= limit:
            raise ValueError(f"{count} {name}, not 1 to {limit}")


def _check_references(trace: DecodingTrace) -> None:
    nodes = trace.nodes
    if len(nodes) != sum(len(step.nodes) for step in trace):
        raise ValueError("two candidates have the same id")

    def is_of_previous_step(node_id: int | None, step: int) -> bool:
        """Whether this is a node of the step before; at the first step, whether it is None."""
        return node_id is None if step == 0 else node_id in nodes and nodes[node_id].step == step - 1

    for index, step in enumerate(trace):
        rows = {row.node for row in step.rows}
        if step.index != index or not all(is_of_previous_step(node, index) for node in rows):
            raise ValueError(f"step {index} does not continue the step before it")
        if any(node.step != index or node.parent not in rows for node in step.nodes):
            raise ValueError(f"a candidate of step {index} continues no row of that step")
        if any(node.parent is not None and node.group != nodes[node.parent].group for node in step.nodes):
            raise ValueError(f"a candidate of step {index} continues a row of another group")
    adjusted = ((row.top, numbers) for row in _rows(trace) for numbers in (row.allowed, row.chances))
    if any(numbers is not None and len(numbers) != len(top) for top, numbers in adjusted):
        raise ValueError("the next tokens of a row have more or fewer numbers than there are tokens")
    for hypothesis in trace.hypotheses:
        if hypothesis.node not in nodes:
            raise ValueError("an output ends at a candidate that is not in the trace")
        if tuple(node.token_id for node in trace.path(hypothesis.node)) != hypothesis.token_ids:
            raise ValueError("an output has other tokens than its path")
        steps = hypothesis.word_steps
        if len(steps) not in (0, len(trace.words)) or not set(steps) <= set(range(len(hypothesis.token_ids))):
            raise ValueError("a required word is at a step that its output does not have")
    if not 0 <= trace.opening <= len(trace.steps) or len(trace.forced) > MAX_TRACE_STEPS:
        raise ValueError("there are more forced tokens than steps")


def _rows(trace: DecodingTrace) -> Iterator[DecodedRow]:
    return (row for step in trace for row in step.rows)


def _check_attention(trace: DecodingTrace) -> None:
    """Check that all rows have one shape (L, H, S) or none, and that overrides and utilities fit."""
    length = len(trace.source)
    shapes = {None if row.attention is None else _shape(row.attention) for row in _rows(trace)}
    (shape,) = shapes if len(shapes) == 1 else ((),)
    if shape is not None and (len(shape) != 3 or 0 in shape or shape[2] != length):
        raise ValueError("the attention of the steps has no common shape")
    weights = (
        weight for row in _rows(trace) for layer in row.attention or () for head in layer for weight in head
    )
    if not all(0 <= weight <= 1.001 for weight in weights):
        raise ValueError("an attention weight is not between 0 and 1")
    if any(len(override.weights) != length or override.step < 0 for override in trace.overrides):
        raise ValueError("a replaced attention does not fit the source")
    count = len(trace.hypotheses)
    if trace.utilities is not None and _shape(trace.utilities.matrix) != (count, count):
        raise ValueError("the utilities do not fit the outputs")
    if trace.utilities is not None and trace.utilities.metric not in UTILITIES:
        raise ValueError("the metric of the utilities is unknown")


def _shape(nested: Any) -> tuple[int, ...]:
    """The shape of nested tuples; empty if they are ragged."""
    if not isinstance(nested, tuple):
        return ()
    inner = {_shape(part) for part in nested}
    if not any(isinstance(part, tuple) for part in nested):
        return (len(nested),)
    (part_shape,) = inner if len(inner) == 1 else ((),)
    return (len(nested), *part_shape) if part_shape else ()
