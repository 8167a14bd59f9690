"""The shipped checkpoints, in memory once for all views."""

from __future__ import annotations

from pathlib import Path

import pytest

from demo.work.context import AppContext
from models.registry.registry import Registry

CHECKPOINTS = Path(__file__).parents[3] / "checkpoints"


@pytest.fixture(scope="package")
def context() -> AppContext:
    return AppContext(Registry(CHECKPOINTS), "cpu")


@pytest.fixture(autouse=True)
def states(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary folder for states in place of that of the user."""
    monkeypatch.setenv("UNROLLED_STATES", str(tmp_path))
    return tmp_path
