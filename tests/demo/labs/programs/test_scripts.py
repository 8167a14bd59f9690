"""Programs that stand beside the labs: short, of torch and the standard library, and right."""

from __future__ import annotations

import ast
import sys

import pytest

from demo.answers.controls import Controls
from demo.labs import labs
from demo.labs.scripts import FOLDER, script_of
from demo.service.context import AppContext
from demo.service.lab_networks import networks_of
from models.registry.registry import Registry
from tests.fakes.processes.programs import run_script_here
from tests.source_modules import ROOT, Module

MAX_LINES = 80
TOLERANCE = 1e-5
SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.py"))
every_script = pytest.mark.parametrize("name", SCRIPTS)


def test_every_lab_has_its_program() -> None:
    assert sorted(lab.name for lab in labs()) == SCRIPTS


@every_script
def test_a_program_is_short_and_needs_only_torch(name: str) -> None:
    text = script_of(name)
    assert len(text.splitlines()) <= MAX_LINES
    imported = {name.split(".")[0] for name in Module(name, text).imports()}
    assert imported - sys.stdlib_module_names <= {"torch"}


@every_script
def test_a_program_asks_the_vocabulary_of_a_checkpoint_for_ids(name: str) -> None:
    """Written into the program they would be those of another text when the checkpoint is trained anew."""
    text = script_of(name)
    if "checkpoints/" in text:
        lists = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.List)]
        numbers = [[elt.value for elt in node.elts if isinstance(elt, ast.Constant)] for node in lists]
        assert not [
            result for result in numbers if len(result) > 3 and all(isinstance(n, int) for n in result)
        ]


@pytest.mark.slow
@pytest.mark.parametrize("name", [lab.name for lab in labs() if lab.trains is None])
def test_a_program_prints_the_numbers_of_its_lab(name: str) -> None:
    """Labs that train have tests of their own: a program cannot print the end of a training."""
    lab = next(lab for lab in labs() if lab.name == name)
    text = run_script_here(FOLDER / f"{name}.py")
    printed = dict(line.split(maxsplit=1) for line in text.splitlines() if line.strip())
    context = AppContext(Registry(ROOT / "checkpoints"), "cpu")
    facts = lab.compute(Controls(networks=networks_of(context))).facts
    shared = facts.keys() & printed.keys()
    assert shared, f"{name} prints none of {sorted(facts)}"
    for fact in shared:
        expected = facts[fact]
        if isinstance(expected, str):
            assert printed[fact] == expected
        else:
            assert float(printed[fact]) == pytest.approx(expected, rel=TOLERANCE, abs=TOLERANCE), fact
