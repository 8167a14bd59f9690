"""The programs of labs with settings of a reader, run in child processes, and the facts of their labs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from subprocess import run
from typing import Any

from demo.answers.content import NotHereError
from demo.answers.controls import Control, Number, Select, TextInput
from demo.answers.networks import Networks
from demo.labs.scripts import VIEWS, script_of, without_constant
from demo.service.context import AppContext
from demo.service.lab_networks import networks_of
from models.registry.registry import Registry
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
ODD_TEXTS = (
    "The Queen's croquet-ground.",
    "“¡Qué frío!” dijo el niño; 犬 2 犬 x_y\ncafé, can't",
    "a",
)


@dataclass(frozen=True)
class Case:
    """A lab with settings that a reader has chosen, after some steps of its training."""

    lab: str
    options: Mapping[str, Any]
    steps: int | None = 0  # None: all

    def __str__(self) -> str:
        return f"{self.lab} {dict(self.options)} {self.steps if self.steps != 0 else ''}".rstrip()


@dataclass(frozen=True)
class Compared:
    """The facts of a lab and the output of its program."""

    facts: Mapping[str, float | str]
    printed: Mapping[str, str]
    lacks: Sequence[str]  # controls that the program has not


@cache
def shipped() -> Networks:
    return networks_of(AppContext(Registry(ROOT / "checkpoints"), "cpu"))


def compared(cases: Sequence[Case], folder: Path) -> list[Compared]:
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
        Compared(facts, dict(_fact(line) for line in output.splitlines()), lacks)
        for (facts, lacks), output in zip(answers, outputs, strict=True)
    ]


def _fact(line: str) -> tuple[str, str]:
    name, _, value = line.partition(" ")
    return name, value


def every_setting(lab: str, steps: int | None = 0) -> Iterator[Case]:
    """Each view of a lab, and in each every value of each control beside the first ones of the others."""
    for view in _views(lab):
        declared = {control.name for control in _controls(lab, view)}
        yield Case(lab, view, steps)
        for options in _changed(lab, view):
            yield Case(lab, options, steps)
            for control in _controls(lab, options):
                if control.name not in declared:  # a setting of this value alone
                    yield from (
                        Case(lab, options | {control.name: value}, steps) for value in values(control)
                    )


def _views(lab: str) -> list[dict[str, Any]]:
    views = [control for control in _controls(lab, {}) if control.name == VIEWS]
    return [{VIEWS: value} for value in values(views[0])] if views else [{}]


def _changed(lab: str, options: Mapping[str, Any]) -> list[dict[str, Any]]:
    changed = [
        {**options, control.name: value}
        for control in _controls(lab, options)
        for value in values(control)
        if control.name != VIEWS and value != control.value
    ]
    return [options for options in changed if _controls(lab, options)]


def _controls(lab: str, options: Mapping[str, Any]) -> list[Control]:
    """The controls that these options show; none where the lab refuses them."""
    try:
        return answer_of(lab, options, 0, shipped())[1].controls
    except NotHereError:
        return []


def values(control: Control) -> list[Any]:
    """All options, or the ends and the middle of a range, or odd texts."""
    if isinstance(control, Select):
        return [value for value, _ in control.options]
    if isinstance(control, Number):
        steps = round((control.high - control.low) / control.step)
        return [control.low, round(control.low + steps // 2 * control.step, 6), control.high]
    assert isinstance(control, TextInput)
    return [*ODD_TEXTS]
