"""Programs that stand beside the labs: short, of torch and the standard library, and right."""

from __future__ import annotations

import ast
import sys

import pytest

from demo.labs import labs
from demo.labs.scripts import FOLDER
from tests.source_modules import Module

MAX_LINES = 80
SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.py"))
every_script = pytest.mark.parametrize("name", SCRIPTS)


def test_every_lab_has_its_program() -> None:
    assert {lab.name for lab in labs()} <= {*SCRIPTS}


@every_script
def test_a_program_is_short_and_needs_only_torch(name: str) -> None:
    text = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MAX_LINES
    imported = {name.split(".")[0] for name in Module(name, text).imports()}
    assert imported - sys.stdlib_module_names <= {"torch"}


@every_script
def test_a_program_asks_the_vocabulary_of_a_checkpoint_for_ids(name: str) -> None:
    """Fixed ids would stand for another text once the checkpoint is trained again."""
    text = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    if "checkpoints/" in text:
        lists = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.List)]
        numbers = [[elt.value for elt in node.elts if isinstance(elt, ast.Constant)] for node in lists]
        assert not [
            result for result in numbers if len(result) > 3 and all(isinstance(n, int) for n in result)
        ]
