"""Gradio is imported without writing type stubs, neither beside our components nor for its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = """
import pathlib
written = []
pathlib.Path.write_text = lambda path, *_, **__: written.append(path)
import demo.trace.component
from gradio import component_meta
assert component_meta.create_or_modify_pyi.__module__ == "demo.no_stubs", component_meta.create_or_modify_pyi
assert [path for path in written if path.suffix == ".pyi"] == []
"""


@pytest.mark.slow
def test_importing_demo_first_prevents_stubs() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
