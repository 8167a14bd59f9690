"""A program of the project run as a person would, or in this process: to start one takes seconds."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
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


def run_here(main: Callable[[], int], *arguments: str) -> CompletedProcess[str]:
    """What `main` makes of the arguments, and what it prints; an exit is its code."""
    told, complaints = io.StringIO(), io.StringIO()
    with (
        patch.object(sys, "argv", ["program", *arguments]),
        redirect_stdout(told),
        redirect_stderr(complaints),
        torch.no_grad(),
    ):
        try:
            code = main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
    return CompletedProcess(arguments, code, told.getvalue(), complaints.getvalue())
