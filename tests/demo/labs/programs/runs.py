"""The programs of labs with settings of a reader, run in child processes, and the facts of their labs."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from subprocess import run

from demo.labs.programs import script_of, without_constant
from tests.demo.labs.cases import Case, shipped
from tests.demo.labs.trained import answer_of
from tests.source_modules import ROOT

# Runs programs one after another, since torch takes seconds to start, and prints what each has printed.
DRIVER = """
import contextlib, io, json, runpy, sys, traceback, torch
for path in sys.argv[1:]:
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        try:
            runpy.run_path(path, run_name="__main__")
        except Exception:
            output.write(f"raised {traceback.format_exc()!r}")
    print(json.dumps(output.getvalue()))
    torch.set_grad_enabled(True)
"""


@dataclass(frozen=True)
class ProgramComparison:
    """The facts of a lab and the output of its program."""

    facts: Mapping[str, float | str]
    printed: Mapping[str, str]
    lacks: Sequence[str]  # controls that the program lacks


def compared(cases: Sequence[Case], folder: Path) -> list[ProgramComparison]:
    """Run the programs of the cases in one child process, which does not see the project's modules."""
    paths, answers = list[Path](), list[tuple[Mapping[str, float | str], list[str]]]()
    for index, case in enumerate(cases):
        content, controls = answer_of(case.lab, case.options, case.steps, shipped())
        declared = controls.controls
        answers.append((content.facts, without_constant(case.lab, declared, content.program)))
        paths.append(folder / f"{index}_{case.lab}.py")
        paths[-1].write_text(script_of(case.lab, declared, content.program), encoding="utf-8")
    command = [sys.executable, "-I", "-X", "utf8", "-c", DRIVER, *map(str, paths)]
    done = run(command, capture_output=True, text=True, encoding="utf-8", cwd=ROOT, timeout=280)
    assert done.returncode == 0, done.stderr
    outputs = [json.loads(line) for line in done.stdout.splitlines()]
    return [
        ProgramComparison(facts, dict(_fact(line) for line in output.splitlines()), lacks)
        for (facts, lacks), output in zip(answers, outputs, strict=True)
    ]


def _fact(line: str) -> tuple[str, str]:
    name, _, value = line.partition(" ")
    return name, value
