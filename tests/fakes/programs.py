"""A program of the project run as a person would, or in this process: to start one takes seconds."""

from __future__ import annotations

import io
import os
import runpy
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from subprocess import CompletedProcess, run
from unittest.mock import patch

import torch

ROOT = Path(__file__).parents[2]


def run_as_child(module: str, *arguments: str) -> CompletedProcess[str]:
    """`python -m module arguments`."""
    command = [sys.executable, "-m", module, *arguments]
    return run(command, capture_output=True, text=True, cwd=ROOT, timeout=120)


def run_module_here(module: str, *arguments: str) -> CompletedProcess[str]:
    """The same without a Python of its own, `if __name__ == "__main__"` included."""

    def main() -> None:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "'.*' found in sys.modules", RuntimeWarning)  # it runs anew
            runpy.run_module(module, run_name="__main__", alter_sys=True)

    before = Path.cwd()
    os.chdir(ROOT)
    try:
        return _run_apart(main, arguments)
    finally:
        os.chdir(before)


def run_script_here(path: Path, *arguments: str) -> str:
    """What the program of a file prints, without a Python of its own."""
    done = _run_apart(lambda: runpy.run_path(str(path), run_name="__main__"), arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def run_here(main: Callable[[], object], *arguments: str) -> CompletedProcess[str]:
    """What `main` makes of the arguments, and what it prints; an exit is its code."""
    with torch.no_grad():
        return _run(main, arguments)


def _run_apart(main: Callable[[], object], arguments: Sequence[str]) -> CompletedProcess[str]:
    """It begins with torch as torch begins, and leaves no seed and no switch behind."""
    with torch.random.fork_rng(devices=[]), torch.enable_grad():
        return _run(main, arguments)


def _run(main: Callable[[], object], arguments: Sequence[str]) -> CompletedProcess[str]:
    told, complaints = io.StringIO(), io.StringIO()
    with (
        patch.object(sys, "argv", ["program", *arguments]),
        redirect_stdout(told),
        redirect_stderr(complaints),
    ):
        try:
            returned = main()
        except SystemExit as end:
            returned = end.code
            if isinstance(returned, str):  # as Python does with it
                complaints.write(f"{returned}\n")
                returned = 1
    code = returned if isinstance(returned, int) else 0
    return CompletedProcess(arguments, code, told.getvalue(), complaints.getvalue())
