"""Programs that stand beside the labs: short, of torch and the standard library, and right."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from demo.labs import labs
from demo.labs.scripts import FOLDER, script_of
from tests.demo.labs.trained import trained
from tests.source_modules import Module

MOST_LINES = 80
TOLERANCE = 1e-5
SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.py"))
every_script = pytest.mark.parametrize("name", SCRIPTS)


def test_every_lab_has_its_program() -> None:
    assert sorted(lab.name for lab in labs()) == SCRIPTS


@every_script
def test_a_program_is_short_and_needs_only_torch(name: str) -> None:
    text = script_of(name)
    assert len(text.splitlines()) <= MOST_LINES
    imported = {name.split(".")[0] for name in Module(name, text).imports()}
    assert imported - sys.stdlib_module_names <= {"torch"}


@pytest.mark.slow
@every_script
def test_a_program_prints_the_numbers_of_its_lab(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.py"
    path.write_text(script_of(name), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(path)], cwd=tmp_path, capture_output=True, text=True, timeout=200, check=False
    )
    assert done.returncode == 0, done.stderr
    printed = dict(line.split(maxsplit=1) for line in done.stdout.splitlines() if line.strip())
    facts = trained(name, steps=0).facts
    shared = facts.keys() & printed.keys()
    assert shared, f"{name} prints none of {sorted(facts)}"
    assert printed.keys() <= facts.keys()
    for fact in shared:
        expected = facts[fact]
        if isinstance(expected, str):
            assert printed[fact] == expected
        else:
            assert float(printed[fact]) == pytest.approx(expected, rel=TOLERANCE, abs=TOLERANCE), fact
