"""The page without a server writes the same traces as the library."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.registry.registry import Registry
from tests.demo.static.decodings import (
    AWKWARD,
    CHECKPOINTS,
    Case,
    by_library,
    checkpoint,
    difference,
    in_javascript,
    interventions,
    searches,
)

FAST = ("reverse-gru", "dates-transformer", "shapes-captioner")  # one network of each kind
STEADY = ("greedy", "beam", "threshold")
DRAWING = ("sampling", "stochastic", "mbr")
MAX_ROUNDED = 2  # decodings of a checkpoint in which rounding may decide a draw, of some thirty that draw


def differing(name: str, cases: list[Case], folder: Path, *flags: str) -> list[tuple[Case, str]]:
    """Return the cases whose traces differ, with the first difference."""
    results = zip(cases, in_javascript(name, cases, folder, *flags), strict=True)
    return [
        (case, message) for case, result in results if (message := difference(by_library(name, case), result))
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", FAST)
def test_javascript_decodes_as_the_library(name: str, tmp_path: Path) -> None:
    text = checkpoint(name).config.examples[0]
    assert not differing(name, [*searches(name, text), *interventions(name, text)], tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("name", Registry(CHECKPOINTS).names())
def test_javascript_decodes_the_examples_of_every_checkpoint(name: str, tmp_path: Path) -> None:
    examples = checkpoint(name).config.examples
    cases = [case for text in examples[:2] for case in (*searches(name, text), *interventions(name, text))]
    if checkpoint(name).tokenizer.picture is None:
        cases += [case for case in searches(name, AWKWARD) if case.options.strategy in STEADY]
    differences = differing(name, cases, tmp_path)
    drawn = [item for item in differences if item[0].options.strategy in DRAWING]
    assert [item for item in differences if item not in drawn] == []
    assert len(drawn) <= MAX_ROUNDED


@pytest.mark.slow
def test_plain_javascript_gives_the_same_result(tmp_path: Path) -> None:
    name = "dates-transformer"
    cases = list(searches(name, checkpoint(name).config.examples[1]))[:3]
    assert not differing(name, cases, tmp_path, "--javascript")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "text"), [("reverse-gru", "  "), ("reverse-gru", ""), ("shapes-captioner", "a red circle")]
)
def test_a_text_that_no_network_can_read_is_refused(name: str, text: str, tmp_path: Path) -> None:
    (result,) = in_javascript(name, list(searches(name, text))[:1], tmp_path)
    assert result.keys() == {"error"}
