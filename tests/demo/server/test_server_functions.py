"""Functions that the page's scripts call by name: Gradio gives each the request that its annotation names."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import get_type_hints

import gradio as gr
import pytest

from demo.page.interface import build_demo
from tests.fakes.training.form import training_context

ROOT = Path(__file__).parents[3]


@pytest.mark.slow
def test_annotations_of_server_functions_can_be_resolved(tmp_path: Path) -> None:
    """Gradio warns and passes None as the request if an annotation names something that its module lacks."""
    page = build_demo(training_context(ROOT / "checkpoints", tmp_path))
    functions = [item for block in page.blocks.values() for item in getattr(block, "server_fns", ())]
    asking = [function for function in functions if "request" in inspect.signature(function).parameters]
    assert len(asking) > 10
    for function in asking:
        assert get_type_hints(function)["request"] is gr.Request, function
