"""Programs of the labs: short, correct, and with no imports but torch and the standard library."""

from __future__ import annotations

import ast
import sys

import pytest

from demo.labs import labs
from demo.labs.programs import FOLDER, script_of
from demo.widgets.answers.content import Program
from tests.lint.repository.weight import python_lines
from tests.source_modules import Module

MAX_TRAINING_LINES = 150  # of a program that trains as the page does, step by step
MAX_LINES = 100  # with code, as the law of the product's weight counts them
SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.py"))
PARTS = sorted(path.stem for path in (FOLDER / "parts").glob("*.py"))
WITH_PARTS = [
    *((name, Program()) for name in SCRIPTS),
    ("forcing", Program(parts={"recurrent": "transformer"})),
]
every_script = pytest.mark.parametrize(("name", "program"), WITH_PARTS)


def test_every_lab_has_its_program() -> None:
    assert {lab.name for lab in labs()} <= {*SCRIPTS}


@every_script
def test_a_program_is_short_and_needs_only_torch(name: str, program: Program) -> None:
    text = script_of(name, (), program)
    module = Module(name, text)
    trains = name == "positions_training"
    assert python_lines(module) <= (MAX_TRAINING_LINES if trains else MAX_LINES)
    imported = {name.split(".")[0] for name in module.imports()}
    assert imported - sys.stdlib_module_names <= {"torch"}


@every_script
def test_a_program_asks_the_vocabulary_of_a_checkpoint_for_ids(name: str, program: Program) -> None:
    """Fixed ids would mean another text after the checkpoint is trained again."""
    text = script_of(name, (), program)
    if "checkpoints" in text:
        lists = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.List)]
        numbers = [[elt.value for elt in node.elts if isinstance(elt, ast.Constant)] for node in lists]
        assert not [
            values for values in numbers if len(values) > 3 and all(isinstance(n, int) for n in values)
        ]


@pytest.mark.parametrize("part", PARTS)
def test_a_part_is_shared_by_several_programs(part: str) -> None:
    """Code that only one program imports belongs in that program, unless it can replace another part."""
    texts = {path: path.read_text(encoding="utf-8") for path in FOLDER.rglob("*.py")}
    users = [path for path, text in texts.items() if f"from parts.{part} import" in text]
    assert len(users) > 1 or part in {"recurrent", "transformer"}
