"""Programs of the project, run in this process, since a child process takes seconds to start."""

from __future__ import annotations

import io
import os
import runpy
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from subprocess import CompletedProcess
from unittest.mock import patch

import torch

ROOT = Path(__file__).parents[3]


def run_module_here(module: str, *arguments: str) -> CompletedProcess[str]:
    """Run a module in this process, with its `if __name__ == "__main__"`."""

    def main() -> None:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "'.*' found in sys.modules", RuntimeWarning)  # it runs again
            runpy.run_module(module, run_name="__main__", alter_sys=True)

    before = Path.cwd()
    os.chdir(ROOT)
    try:
        return _run_apart(main, arguments)
    finally:
        os.chdir(before)


def run_script_here(path: Path, *arguments: str) -> str:
    """Run a script in this process and return its output."""
    done = _run_apart(lambda: runpy.run_path(str(path), run_name="__main__"), arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def run_here(main: Callable[[], object], *arguments: str) -> CompletedProcess[str]:
    """Run `main` with arguments in this process and return its output and exit code."""
    with torch.no_grad():
        return _run(main, arguments)


def _run_apart(main: Callable[[], object], arguments: Sequence[str]) -> CompletedProcess[str]:
    """Run `main` with torch's initial switches, and restore its seed and switches afterwards."""
    with torch.random.fork_rng(devices=[]), torch.enable_grad():
        return _run(main, arguments)


def _run(main: Callable[[], object], arguments: Sequence[str]) -> CompletedProcess[str]:
    output, errors = io.StringIO(), io.StringIO()
    with patch.object(sys, "argv", ["program", *arguments]), redirect_stdout(output), redirect_stderr(errors):
        try:
            returned = main()
        except SystemExit as end:
            returned = end.code
            if isinstance(returned, str):  # as Python does
                errors.write(f"{returned}\n")
                returned = 1
    code = returned if isinstance(returned, int) else 0
    return CompletedProcess(arguments, code, output.getvalue(), errors.getvalue())
