"""The served page, for tests that only read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from demo.page.interface import build_demo, launch_settings
from demo.work.context import AppContext
from models.registry.registry import Registry


@pytest.fixture(scope="module")
def served(shipped: Path) -> Iterator[str]:
    demo = build_demo(AppContext(Registry(shipped), "cpu"))
    _, url, _ = demo.launch(
        server_name="127.0.0.1", prevent_thread_lock=True, quiet=True, **launch_settings(uploads=False)
    )
    yield url
    demo.close(verbose=False)
