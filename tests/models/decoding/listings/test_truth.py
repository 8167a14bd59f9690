"""Each listing finds what the library finds, and the page derives from a trace the lines that Python runs."""

from __future__ import annotations

import copy
import inspect
import re
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import FrameType, FunctionType
from typing import Any

import pytest
import torch

from demo.work.context import AppContext
from demo.work.requests.decode import DecodeRequest
from models.decoding.decode import decode
from models.decoding.interventions import Intervention
from models.decoding.options import DecodingOptions
from models.decoding.status import Stop
from models.decoding.strategies import listings
from models.decoding.strategies.listings import FOLDER, OPERATIONS, listing
from models.decoding.trace import DecodingTrace, Hypothesis
from models.metrics.sentence import utility_matrix
from models.registry.registry import Registry
from models.tokenization.tokenizer import Tokenizer
from tests.fakes.markov import MarkovModel
from tests.models.decoding.listings.library_model import LibraryModel, names, search_arguments
from tests.models.decoding.listings.page import derived
from tests.source_modules import ROOT

TOLERANCE = 1e-4  # nats; a trace rounds, and the library computes several rows at once
MARKOV = "markov"
TEXTS = {
    "spa-eng-gru": ("Tengo hambre.", "No puedo abrir la puerta."),
    "spa-eng-transformer": ("El gato duerme en la silla.",),
    "reverse-lstm": ("abc", "a"),
    MARKOV: ("abcdefgh", "abc"),
}
CASES: tuple[dict[str, Any], ...] = (
    {"strategy": "greedy"},
    {"strategy": "greedy", "no_repeat_ngram_size": 2, "min_length": 4},
    {"strategy": "greedy", "max_length": 1},
    {"strategy": "beam"},
    {"strategy": "beam", "beam_size": 1},
    {"strategy": "beam", "beam_size": 7, "length_penalty": 1.2},
    {"strategy": "beam", "length_penalty": 0.8, "normalizer": "gnmt", "early_stopping": "never"},
    {"strategy": "beam", "early_stopping": "true"},
    {"strategy": "beam", "max_length": 3},
    {"strategy": "threshold", "threshold": 0.3, "beam_size": 5},
    {"strategy": "threshold", "threshold": 0.0},
    {"strategy": "diverse", "beam_size": 6, "num_groups": 3, "diversity": 0.8},
    {"strategy": "diverse", "length_penalty": 1.0, "early_stopping": "true"},
    {"strategy": "diverse", "max_length": 3, "diversity": 5.0},
    {"strategy": "diverse", "max_length": 2, "beam_size": 6, "num_groups": 3},
    {"strategy": "beam", "beam_size": 2, "max_length": 3, "length_penalty": 5.0},
    {"strategy": "sampling", "num_samples": 3, "min_length": 4},
    {"strategy": "stochastic", "seed": 3},
    {"strategy": "stochastic", "temperature": 0.5, "beam_size": 6},
    {"strategy": "sampling", "num_samples": 4, "seed": 5},
    {"strategy": "sampling", "temperature": 1.5, "top_k": 6, "top_p": 0.9},
    {"strategy": "mbr", "num_samples": 5, "seed": 2},
    {"strategy": "mbr", "num_samples": 3, "temperature": 0.7, "utility": "bleu"},
)


def test_every_listing_has_a_case() -> None:
    listings_of = {path.stem for path in FOLDER.glob("[a-z]*.py")} - {OPERATIONS}
    assert {case["strategy"] for case in CASES} | {"exact"} == listings_of


def text_of(strategy: str) -> str:
    return listing(strategy) or ""


def function(name: str) -> FunctionType:
    module = import_module(f"{listings.__name__}.{name}")
    (search,) = (
        item
        for item in vars(module).values()
        if inspect.isfunction(item) and item.__module__ == module.__name__
    )
    return search


def traced(search: FunctionType, arguments: Mapping[str, Any]) -> tuple[list[dict[str, Any]], Any]:
    """The lines of a function in order, each with the variables before it, and the function's result."""
    lines: list[dict[str, Any]] = []
    arguments_by_name = {name: arguments[name] for name in inspect.signature(search).parameters}

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
        result = search(**arguments_by_name)
    finally:
        sys.settrace(before)
    return lines, result


def is_data(value: Any) -> bool:
    return isinstance(value, int | float | str | list | tuple)


@pytest.fixture(scope="module")
def context() -> AppContext:
    return AppContext(Registry(ROOT / "checkpoints"), "cpu")


def same(one: Any, other: Any, name: str = "") -> bool:
    if isinstance(one, list | tuple):
        if name == "choices":  # a trace has the likeliest ones
            chances = {token: chance for chance, token in one}
            return all(same(chances[token], chance) for chance, token in other)
        return isinstance(other, list) and len(one) == len(other) and all(map(same, one, other))
    if one in (float("inf"), float("-inf")):
        return other is None
    if isinstance(one, float) or isinstance(other, float):
        return other is not None and abs(one - other) <= TOLERANCE
    return bool(one == other)


def score_of(item: Hypothesis, strategy: str) -> float:
    """The number that the strategy ranks its outputs by."""
    if item.utility is not None:
        return item.utility
    return item.score if item.rank_score is None or strategy == "diverse" else item.rank_score


def utility(trace: DecodingTrace) -> Callable[[list[int], list[int]], float]:
    """The utility of one output with another as its reference."""
    texts = {hypothesis.token_ids: hypothesis.text for hypothesis in trace.hypotheses}

    def of(output: list[int], reference: list[int]) -> float:
        pair = [texts[tuple(output)], texts[tuple(reference)]]
        language = trace.languages[-1] if trace.languages else ""
        return utility_matrix(pair, trace.settings["utility"], language)[0][1]

    return of


def both(
    checkpoint: str, text: str, options: DecodingOptions, context: AppContext, forced: tuple[int, ...] = ()
) -> tuple[DecodingTrace, list[dict[str, Any]], Any]:
    """The trace of the library, and the lines and the result of the listing."""
    with pytest.MonkeyPatch.context() as patch, search_arguments(patch) as arguments_of_searches:
        if checkpoint == MARKOV:
            tokenizer = Tokenizer.train([text], "character", vocab_size=12)
            model = MarkovModel.random(letters=tokenizer.vocab_size - 4, seed=len(text))
            trace = decode(model, tokenizer, text, options, intervention=Intervention(forced))
        else:
            trace = context.decode(DecodeRequest(checkpoint, text, options, forced))
    network, encoded, strategy, conditions, _ = arguments_of_searches[0]
    library = LibraryModel(network, encoded, strategy, conditions, options.seed)
    arguments = names(library, dict(trace.settings)) | {"utility": utility(trace)}
    with torch.inference_mode():
        lines, result = traced(function(options.strategy), arguments)
    assert [output for _, output in result] == [
        list(item.token_ids) for item in trace.hypotheses[: len(result)]
    ]
    return trace, lines, result


def assert_derived(lines: list[dict[str, Any]], result: Any, page: Mapping[str, Any]) -> None:
    """Compare lines, variables and result of a listing with those that the page derives."""
    assert [line["line"] for line in page["lines"]] == [line["line"] for line in lines]
    for number, (line, other) in enumerate(zip(lines, page["lines"], strict=True)):
        for name, value in line["scope"].items():
            derived_value = other["scope"][name]
            assert same(value, derived_value, name), (number, line["line"], name, value, derived_value)
    assert same(result, page["result"])


def assert_said(strategy: str, page: Mapping[str, Any]) -> None:
    """Each line has a sentence with its values, and what it decides is what the tree shows."""
    codes = [code.strip() for code in text_of(strategy).splitlines()]
    for line in page["lines"]:
        code, sentence = codes[line["line"] - 1], line["sentence"]
        assert sentence, code
        assert not re.search(r"[{}]|undefined|null|NaN|object", sentence), sentence
        if code.startswith(("elif not ends", "elif ahead")):
            stays = line["node"]["status"] == "kept" or line["node"]["reason"] == "early_stop"
            assert line["holds"] == stays, (sentence, line["node"])
        if code.startswith(("if ends and", "if ahead < beam_size and ends")):
            ended = line["node"]["reason"] in ("end_token", "max_length", "displaced", "closing")
            assert line["holds"] == ended, (sentence, line["node"])
    for index, line in zip(page["located"], page["lines"], strict=True):
        assert index is None or page["lines"][index]["node"] == line["node"]


@pytest.mark.slow
@pytest.mark.parametrize("settings", CASES, ids=lambda case: "-".join(map(str, case.values())))
@pytest.mark.parametrize("checkpoint", TEXTS)
def test_a_listing_finds_what_the_library_finds_and_the_page_derives_its_lines(
    checkpoint: str, settings: dict[str, Any], context: AppContext
) -> None:
    options = DecodingOptions(**settings)
    runs = [both(checkpoint, text, options, context) for text in TEXTS[checkpoint]]
    for (trace, lines, result), page in zip(runs, derived([run[0] for run in runs]), strict=True):
        assert len(result) == len(trace.hypotheses)
        expected = [score_of(item, options.strategy) for item in trace.hypotheses]
        assert [score for score, _ in result] == pytest.approx(expected, abs=TOLERANCE)
        assert_derived(lines, result, page)
        assert_said(options.strategy, page)


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["greedy", "beam", "threshold", "diverse", "stochastic", "sampling"])
def test_a_forced_prefix_is_what_the_model_of_the_listing_gives(strategy: str, context: AppContext) -> None:
    free, _, _ = both("reverse-lstm", "abc", DecodingOptions("greedy"), context)
    other = free.hypotheses[0].token_ids[1]
    trace, lines, result = both("reverse-lstm", "abc", DecodingOptions(strategy), context, (other, other))
    assert all(item.token_ids[:2] == (other, other) for item in trace.hypotheses)
    (page,) = derived([trace])
    assert_derived(lines, result, page)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["abc", "a", "lesson"])
def test_the_listing_of_exact_search_finds_the_most_probable_output(text: str, context: AppContext) -> None:
    """A trace of exact search keeps the likeliest prefixes only, so its lines are fewer."""
    trace, _, result = both("reverse-lstm", text, DecodingOptions("exact"), context)
    (page,) = derived([trace])
    assert same(result, page["result"])
    assert result[0][0] == pytest.approx(trace.hypotheses[0].log_prob, abs=TOLERANCE)
    assert_said("exact", page)


@pytest.mark.slow
def test_traces_of_earlier_versions_have_lines() -> None:
    files = sorted((ROOT / "tests/compatibility/traces").glob("*.json"))
    traces = [DecodingTrace.from_json(path.read_text(encoding="utf-8")) for path in files]
    penalised = [trace for trace in traces if trace.settings.get("repetition_penalty", 1) != 1]
    with_listing = [trace for trace in traces if listing(trace.strategy) and trace not in penalised]
    assert len(with_listing) > 12
    for trace, page in zip(with_listing, derived(with_listing), strict=True):
        outputs = [list(item.token_ids) for item in trace.hypotheses]
        assert [output for _, output in page["result"]] == outputs[: len(page["result"])] != []


@pytest.mark.slow
@pytest.mark.parametrize(
    "case", [case for case in CASES if len(case) == 1], ids=lambda case: case["strategy"]
)
def test_a_stopped_search_has_lines_to_its_end(case: dict[str, Any]) -> None:
    tokenizer = Tokenizer.train(["abcdefgh"], "character", vocab_size=12)
    model = MarkovModel.random(letters=tokenizer.vocab_size - 4, seed=8)
    stops = iter([None, Stop.CANCELLED])
    trace = decode(model, tokenizer, "abc", DecodingOptions(**case), on_step=lambda _: next(stops, None))
    assert trace.exploration is None or trace.exploration.stop is Stop.CANCELLED
    (page,) = derived([trace])
    assert max(line["step"] for line in page["lines"]) >= len(trace.steps) - 1
    assert page["lines"][-1]["sentence"] == "The trace ends here."
    assert all(line["sentence"] for line in page["lines"])


@pytest.mark.slow
def test_the_next_sample_is_that_of_the_line(context: AppContext) -> None:
    """Samples with one prefix have a node each, and the tree shows that of the loop's sample."""
    trace, _, _ = both("reverse-lstm", "abc", DecodingOptions("sampling", num_samples=4), context)
    (page,) = derived([trace])
    codes = [code.strip() for code in text_of("sampling").splitlines()]
    heads = [line for line in page["lines"] if codes[line["line"] - 1] == "for total, prefix in samples:"]
    second = [line["node"]["id"] for line in heads if line["holds"] and line["node"] and line["step"] == 0]
    assert second == [node.id for node in trace.steps[0].nodes if node.status == "kept"]
