"""Evaluation of a real checkpoint, as a library call and as a command."""

from __future__ import annotations

import json
from pathlib import Path
from subprocess import CompletedProcess

import pytest
import torch

from models.decoding.options import DecodingOptions
from models.decoding.strategies.greedy import Greedy
from models.evaluation import __main__ as program
from models.evaluation.evaluate import anti_diagonal_share, evaluate
from models.registry.registry import Registry
from tests.fakes.markov import EOS, MarkovModel
from tests.fakes.processes.programs import run_here, run_module_here
from tests.messages import says
from tests.models.decoding.search.running import trace_of

ROOT = Path(__file__).parents[3]
PAIRS = (("abc", "cba"), ("abc", "abc"), ("xyz", "no"))


def run(*arguments: str) -> CompletedProcess[str]:
    return run_here(program.main, "--device", "cpu", *arguments)


def test_references_are_grouped_by_source() -> None:
    checkpoint = Registry(ROOT / "checkpoints").load("reverse-gru", torch.device("cpu"))
    report = evaluate(checkpoint, PAIRS, DecodingOptions("greedy", max_length=32))
    assert (report.sources, report.references) == (2, 3)
    assert report.metrics.exact_match == 50.0
    assert (report.source_tokens, report.reference_tokens) == (8, 11)


def test_an_attention_that_never_moves_is_on_the_anti_diagonal_once() -> None:
    """The Markov model looks at source position 0 always: right for the last letter alone."""
    from dataclasses import replace

    from models.decoding.trace import Token

    trace = trace_of(MarkovModel.from_table(8, {2: {4: 1.0}, 4: {5: 1.0}, 5: {6: 1.0}}), Greedy(), 9)
    source = tuple(Token(i, str(i)) for i in (6, 5, 4, EOS))
    assert anti_diagonal_share([replace(trace, source=source)]) == pytest.approx(100 / 3)


@pytest.mark.slow
def test_the_command_ends_with_one_json_line(tmp_path: Path) -> None:
    data = tmp_path / "pairs.tsv"
    data.write_text("abc\tcba\nhello\tolleh\n", encoding="utf-8")
    arguments = ("--checkpoint", "reverse-gru", "--data", str(data), "--beam-size", "3")
    done = run_module_here("models.evaluation", "--device", "cpu", *arguments)
    result = json.loads(done.stdout.splitlines()[-1])
    assert (result["exact_match"], result["strategy"]) == (100.0, "beam")
    assert {"bleu", "chrf", "bleu_signature", "source_tokens", "reference_tokens"} <= result.keys()


@pytest.mark.slow
def test_columns_can_be_swapped(tmp_path: Path) -> None:
    data = tmp_path / "pairs.tsv"
    data.write_text("abb\tcba\nabb\tbba\n", encoding="utf-8")
    forward, swapped = (
        json.loads(run("--checkpoint", "reverse-gru", "--data", str(data), *flags).stdout.splitlines()[-1])
        for flags in ([], ["--swap"])
    )
    assert (forward["sources"], forward["exact_match"]) == (1, 100.0)
    assert (swapped["sources"], swapped["exact_match"]) == (2, 50.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "fields"),
    [
        (["--checkpoint", "reverse-gur"], "did_you_mean", {"close": "'reverse-gru'"}),
        (["--checkpoint", "reverse-gru", "--data", "absent.tsv"], "file_unreadable", {"name": "absent.tsv"}),
        (
            ["--checkpoint", "reverse-gru", "--beam-size", "-3"],
            "not_whole_within",
            {"name": "beam_size", "low": 1},
        ),
    ],
)
def test_a_bad_command_fails_with_one_sentence(
    arguments: list[str], code: str, fields: dict[str, object]
) -> None:
    done = run(*arguments)
    assert done.returncode == 1
    assert says(done.stderr, code, **fields)
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_texts_for_a_captioner_fail_with_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "texts.tsv").write_text("a red circle\ta red circle\n", encoding="utf-8")
    done = run("--checkpoint", "shapes-captioner", "--data", str(tmp_path / "texts.tsv"))
    assert done.returncode == 1
    assert says(done.stderr, "reads_pictures")
    assert "Traceback" not in done.stderr
