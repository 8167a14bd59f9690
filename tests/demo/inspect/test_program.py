"""A search as a program that prints the outputs of the page and their scores."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from demo.inspect.program import ARCHITECTURES, search_program
from demo.work.context import AppContext
from demo.work.requests.decode import DecodeRequest
from models.decoding.options import DecodingOptions
from models.decoding.strategies import listings
from models.decoding.strategies.listings import listing
from models.decoding.trace import DecodingTrace, Hypothesis
from models.errors import UnrolledError
from models.registry.registry import Registry
from tests.fakes.processes.programs import run_script_here
from tests.lint.repository.weight import python_lines
from tests.refusals import Refusal, refused
from tests.source_modules import ROOT, Module

TOLERANCE = 1e-4  # nats; the library rounds to single precision, and computes several rows at once
MAX_LINES = 130  # of code
STRATEGIES = sorted(path.stem for path in listings.FOLDER.glob("[a-z]*.py") if listing(path.stem))
# Each kind of network: cells, with and without attention, context at every step, a tokenizer for each side.
TEXTS = {
    "reverse-gru": "abcd",
    "reverse-rnn": "abcd",
    "spa-eng-lstm": "Hola.",
    "spa-eng-gru-context": "</s> <script>",
    "spa-eng-transformer": "Hola.",
    "eng-cmn-transformer": 'I "like" it\\.',
    "dates-transformer": "3 May 2011",
}
SETTINGS: tuple[dict[str, Any], ...] = (
    {"strategy": "beam", "length_penalty": 0.8, "normalizer": "gnmt", "early_stopping": "never"},
    {"strategy": "beam", "length_penalty": 1.2, "early_stopping": "true", "min_length": 6},
    {"strategy": "beam", "no_repeat_ngram_size": 1},
    {"strategy": "diverse", "beam_size": 6, "num_groups": 3},
    {"strategy": "greedy", "max_length": 2},
    {"strategy": "mbr", "num_samples": 4, "utility": "bleu"},
    {"strategy": "sampling", "temperature": 1.5, "top_k": 6, "top_p": 0.9, "min_p": 0.02, "seed": 3},
    {"strategy": "stochastic", "temperature": 0.5, "beam_size": 6, "seed": 3},
    {"strategy": "threshold", "threshold": 0.3, "normalizer": "none"},
)


@pytest.fixture(scope="module")
def context() -> AppContext:
    return AppContext(Registry(ROOT / "checkpoints"), "cpu")


def program_of(context: AppContext, trace: DecodingTrace) -> str:
    values = {"checkpoint": trace.checkpoint, "text": trace.source_text, "strategy": trace.strategy}
    return search_program(context, {**values, "settings": dict(trace.settings)})["script"]


def score_of(hypothesis: Hypothesis, strategy: str) -> float:
    if hypothesis.utility is not None:
        return hypothesis.utility
    return hypothesis.rank_score or 0 if strategy == "stochastic" else hypothesis.score


def prints_the_page(context: AppContext, folder: Path, checkpoint: str, settings: dict[str, Any]) -> None:
    text = TEXTS[checkpoint]
    trace = context.decode(DecodeRequest(checkpoint, text, DecodingOptions(**settings)))
    path = folder / "program.py"
    path.write_text(program_of(context, trace), encoding="utf-8")
    printed = run_script_here(path, str(ROOT / "checkpoints" / checkpoint))
    scores, outputs = zip(*(line.split("\t") for line in printed.splitlines()), strict=True)
    token = context.tokenizer(checkpoint).token
    assert list(outputs) == [" ".join(map(token, item.token_ids)) for item in trace.hypotheses]
    expected = [score_of(item, trace.strategy) for item in trace.hypotheses]
    assert list(map(float, scores)) == pytest.approx(expected, abs=TOLERANCE)


@pytest.mark.slow
@pytest.mark.parametrize("checkpoint", TEXTS)
def test_a_program_has_the_probabilities_of_each_kind_of_network(
    checkpoint: str, context: AppContext, tmp_path: Path
) -> None:
    prints_the_page(context, tmp_path, checkpoint, {"strategy": "sampling", "num_samples": 2})


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda case: "-".join(map(str, case.values())))
def test_a_program_takes_the_settings_of_the_page(
    settings: dict[str, Any], context: AppContext, tmp_path: Path
) -> None:
    prints_the_page(context, tmp_path, "reverse-gru", settings)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_listing_is_the_search_of_a_program(strategy: str, context: AppContext, tmp_path: Path) -> None:
    settings = {"num_samples": 4} if strategy == "mbr" else {}
    prints_the_page(context, tmp_path, "reverse-gru", {"strategy": strategy, **settings})


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_program_is_short_and_has_the_listing_and_few_packages(
    strategy: str, architecture: str, context: AppContext
) -> None:
    checkpoint = {"recurrent": "spa-eng-gru", "transformer": "spa-eng-transformer"}[architecture]
    request = {"checkpoint": checkpoint, "text": "hola", "strategy": strategy, "settings": {}}
    script = search_program(context, request)["script"]
    search = listing(strategy)
    assert search is not None
    assert f"\n{search}\n" in script
    program = Module(strategy, script)
    assert python_lines(program) <= MAX_LINES
    imported = {part.split(".")[0] for part in program.imports()} - sys.stdlib_module_names
    assert imported == {"torch", *(("sacrebleu", "tokenizers") if strategy == "mbr" else ())}
    assert all(package in script.splitlines()[1] for package in imported)


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        ({"checkpoint": "shapes-captioner"}, ("reads_pictures",)),
        ({"checkpoint": "soul"}, ("no_such_checkpoint",)),
        ({"checkpoint": "spa-eng-gru@int8"}, ("no_program_for_network",)),
        ({"strategy": "exhaustive"}, ("no_program_for_strategy",)),
        ({"strategy": "operations"}, ("not_one_of",)),
        ({"strategy": "../beam"}, ("not_one_of",)),
        ({"settings": {"must_contain": "end"}}, ("no_program_for_setting", "Required words")),
        ({"settings": {"repetition_penalty": 2}}, ("no_program_for_setting", "Repetition penalty")),
        ({"settings": {"beam_size": 9_999}}, ("not_whole_within",)),
        ({"settings": None}, ("settings_not_an_object",)),
        ({"forced": [5]}, ("no_program_for_edit",)),
        ({"overrides": [{"step": 0, "weights": [1]}]}, ("no_program_for_edit",)),
        ({"text": 3}, ("not_a_text", "text")),
    ],
)
def test_a_result_without_a_program_gives_the_reason(
    context: AppContext, change: dict[str, object], refusal: Refusal
) -> None:
    request = {"checkpoint": "spa-eng-gru", "text": "hola", "strategy": "beam", "settings": {}, **change}
    with refused(UnrolledError, *refusal):
        search_program(context, request)
    with refused(UnrolledError, "not_a_checkpoint_name"):
        search_program(context, None)
