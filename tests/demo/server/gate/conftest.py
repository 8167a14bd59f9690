"""A server that trains, for the tests of its gate."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from demo.page.interface import build_demo, launch_settings
from tests.fakes.training.form import training_context


@pytest.fixture(scope="module")
def served(shipped: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Any]]:
    """The page of a server that trains, and its Blocks."""
    demo = build_demo(training_context(shipped, tmp_path_factory.mktemp("runs")))
    _, url, _ = demo.launch(
        server_name="127.0.0.1", prevent_thread_lock=True, quiet=True, **launch_settings(uploads=True)
    )
    yield url, demo
    demo.close(verbose=False)
