"""The name of a strategy is written in its own file and in few other places."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from models.decoding.strategies import names, strategy_class
from tests.source_modules import ROOT, sources

# Where the name of a strategy may be written besides its own file, and why.
STRATEGY_NAMES = {
    ("models.decoding.options", "beam"): "the default",
    ("demo.api.arguments", "greedy"): "the default of programs",
    ("demo.api.arguments", "threshold"): "the position of a setting of that name",
    ("models.evaluation.command", "greedy"): "the default of the command line",
    ("models.evaluation.__main__", "greedy"): "attention is measured along the plainest output",
    ("models.training.loop.validation", "greedy"): "a run is validated, and shown, by its plainest output",
    ("models.training.loop.exposure", "greedy"): "a run's probe is its plainest output",
    (
        "models.registry.hugging_face.output_check",
        "greedy",
    ): "a model that is added writes its plainest output",
    ("models.evaluation.beam_widths.curve", "greedy"): "a beam of 1",
    ("models.evaluation.beam_widths.curve", "beam"): "what greedy search is at a width above 1",
    ("models.decoding.decode", "greedy"): "the output beside that of every other strategy",
    ("models.decoding.trace", "greedy"): "the field of that output",
    ("models.decoding.record_json", "greedy"): "that field, which older traces lack",
    ("demo.widgets.captions.output", "greedy"): "every other strategy is told apart from it",
    ("demo.trace.cards.tree", "greedy"): "the path of that output",
    ("demo.widgets.figures.figure", "greedy"): "the colour of that path",
    ("models.decoding.status", "threshold"): "a reason, in every trace that was saved",
    ("demo.training.run.component", "exact"): "exact match, a measure",
    ("demo.widgets.figures.runners", "greedy"): "a runner of the race, whatever strategy searched",
    ("demo.i18n.display", "greedy"): "a word of the shipped cards",
}
# The strategies in JavaScript, which are compared with the library's in tests/demo/static/test_decoding.py.
IN_JAVASCRIPT = ROOT / "demo" / "static" / "models"


def named_strategies() -> Iterator[tuple[str, str]]:
    """Modules, scripts and style sheets that hold the name of a strategy that is not theirs, and the name."""
    ours = {name: strategy_class(name).__module__ for name in names()}
    for module in sources("models", "demo"):
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Constant) and node.value in ours and ours[str(node.value)] != module.name:
                yield module.name, str(node.value)
    for path in [*(ROOT / "demo").rglob("*.js"), *(ROOT / "demo").rglob("*.css")]:
        if path.is_relative_to(IN_JAVASCRIPT):
            continue
        for name in ours:
            if re.search(rf"""["'`]{name}["'`]|only-{name}\b""", path.read_text(encoding="utf-8")):
                yield str(path.relative_to(ROOT)), name


@pytest.mark.slow
def test_the_name_of_a_strategy_is_only_in_its_file_and_in_the_listed_places() -> None:
    assert set(named_strategies()) == set(STRATEGY_NAMES)
